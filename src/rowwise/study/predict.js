// A question with radio buttons and a Commit button. Native controls, so that a keyboard and a screen reader know them.
function render({ model, el }) {
  const group = `rw-${Math.random().toString(36).slice(2)}`;
  const form = document.createElement("form");
  form.className = "rw-predict";
  el.append(form);

  const make = (tag, parent, text = "", props = {}) => {
    const node = Object.assign(document.createElement(tag), props);
    node.textContent = text;
    parent.append(node);
    return node;
  };
  // JupyterLab's shortcuts take the arrow keys from any focused element without this mark
  const ours = (node) => {
    node.setAttribute("data-lm-suppress-shortcuts", "true");
    return node;
  };

  const box = make("fieldset", form);
  make("legend", box, model.get("question"));
  const radios = model.get("options").map((option, i) => {
    const label = make("label", box);
    const radio = ours(make("input", label, "", { type: "radio", name: group, value: option }));
    make("span", label, `${String.fromCharCode(97 + i)}. ${option}`);
    return radio;
  });
  const button = ours(make("button", form, "Commit", { type: "submit" }));
  const status = make("p", form, "", { role: "status" });

  const draw = () => {
    const answer = model.get("answer");
    for (const radio of radios) {
      radio.checked = radio.value === answer || (!answer && radio.checked);
      radio.disabled = Boolean(answer);
    }
    button.hidden = Boolean(answer);
    if (answer) status.textContent = `You committed to: ${answer}`;
  };
  const commit = (event) => {
    event.preventDefault();
    const chosen = radios.find((radio) => radio.checked);
    if (!chosen) {
      status.textContent = "Choose an answer, then commit to it.";
      return;
    }
    model.set("answer", chosen.value);
    model.save_changes();
  };
  form.addEventListener("submit", commit);
  model.on("change:answer", draw);
  draw();
  return () => model.off("change:answer", draw);
}
export default { render };
