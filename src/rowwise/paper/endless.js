// Draws a practice row and sends what is typed; the judging is Python's.

let boards = 0;

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// JupyterLab's command mode swallows keys unless each focusable element says otherwise.
const focusable = (tag, attributes, ...children) => make(tag, { "data-lm-suppress-shortcuts": "true", ...attributes }, ...children);
const button = (text, act, attributes = {}) => {
  const element = focusable("button", { type: "button", ...attributes }, text);
  element.addEventListener("click", act);
  return element;
};

// Python's own words, which may hold a subscript; nothing that was typed comes here.
function html(tag, attributes, words) {
  const element = make(tag, attributes);
  element.innerHTML = words;
  return element;
}
const titled = (title) => html("th", { scope: "row" }, title);

function render({ model, el }) {
  const id = `rowwise-practice-${boards++}`;
  const said = make("div", { class: "rowwise-said", role: "status", "aria-live": "polite" });
  const page = make("div");
  const root = make("div", { class: "rowwise-row rowwise-practice", role: "group", "aria-label": "Practice row" }, page, said);
  el.append(root);
  let drawn = null; // the seed on the page
  let parts = {}; // step -> { inputs, status, note, checkButton, hintButton }
  let sent = {}; // step -> what stood in its boxes when it was last checked

  const entries = () => Object.fromEntries(Object.entries(parts).map(([step, part]) => [step, part.inputs.map((input) => input.value)]));
  const ask = (what, more = {}) => model.send({ do: what, entries: entries(), ...more });

  function check(step) {
    sent[step] = JSON.stringify(entries()[step]);
    ask("check", { step });
  }

  // A step that is filled in is checked when the focus leaves it.
  function left(step) {
    const values = entries()[step];
    if (values.every((value) => value.trim()) && sent[step] !== JSON.stringify(values)) check(step);
  }

  function boxes(step, cells) {
    const inputs = [];
    const single = step.name === "output";
    const columns = [];
    for (let at = 0; at < cells; at++) {
      const group = make("span", { class: "rowwise-numbers" });
      for (let i = 0; i < step.numbers; i++) {
        const where = single ? (step.entries.length > 1 ? `, number ${at + 1}` : "") : `, key ${at + 1}` + (step.numbers > 1 ? `, number ${i + 1}` : "");
        const input = focusable("input", { type: "text", autocomplete: "off", spellcheck: "false",
          "aria-label": step.name + where, "aria-describedby": `${id}-${step.name}` });
        input.value = step.entries[inputs.length];
        input.addEventListener("keydown", (event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            check(step.name);
          }
        });
        inputs.push(input);
        group.append(input);
      }
      columns.push(group);
    }
    return { inputs, columns };
  }

  function stepRows(step, keys) {
    const single = step.name === "output";
    const { inputs, columns } = boxes(step, single ? step.entries.length : keys);
    const status = make("span", { class: "rowwise-status" });
    const checkButton = button("Check", () => check(step.name), { "aria-label": `Check ${step.name}` });
    const hintButton = button("Hint", () => ask("hint", { step: step.name }), { "aria-label": `Hint for ${step.name}` });
    const head = titled(step.title);
    const cells = single
      ? [make("td", { colspan: keys }, make("span", { class: "rowwise-numbers" }, ...columns))]
      : columns.map((column) => make("td", {}, column));
    const row = make("tr", { class: single ? "rowwise-output" : "rowwise-asked" }, head, ...cells, make("td", {}, checkButton, hintButton, status));
    row.addEventListener("focusout", (event) => {
      if (!row.contains(event.relatedTarget)) left(step.name);
    });
    const note = make("td", { colspan: keys + 2, id: `${id}-${step.name}` });
    parts[step.name] = { inputs, status, note, checkButton, hintButton };
    return [row, make("tr", { class: "rowwise-note" }, note)];
  }

  function controls(view) {
    const seed = focusable("input", { type: "text", inputmode: "numeric", "aria-label": "row number" });
    seed.value = view.seed;
    const go = () => ask("new", { seed: seed.value });
    seed.addEventListener("keydown", (event) => {
      if (event.key === "Enter") go();
    });
    return make("div", { class: "rowwise-controls" },
      make("label", {}, "row", seed), button("Show this row", go), button("Next row", () => ask("new"), {}));
  }

  function draw(view) {
    parts = {};
    sent = {};
    drawn = view.seed;
    const keys = [...Array(view.keys).keys()];
    const caption = make("caption", {});
    if (view.query) caption.append(make("span", { class: "rowwise-query" }, view.query), ", ");
    caption.append(html("span", {}, view.about));
    const body = make("tbody");
    for (const given of view.givens) {
      body.append(make("tr", { class: `rowwise-${given.kind}` }, titled(given.title),
        ...given.cells.map((cell) => make("td", {}, cell)), make("td")));
    }
    for (const step of view.steps) body.append(...stepRows(step, view.keys));
    const head = make("thead", {}, make("tr", {}, make("td"), ...keys.map((i) => make("th", { scope: "col" }, `key ${i + 1}`)), make("td")));
    const record = make("div", { class: "rowwise-record" });
    const explanation = make("div");
    const explain = button("Work the row through", () => ask("explain"));
    page.replaceChildren(controls(view), make("table", {}, caption, head, body), explain, explanation, record);
    page.show = { record, explanation, explain };
  }

  function update(view) {
    for (const step of view.steps) {
      const part = parts[step.name];
      const words = { right: "agrees", shown: "filled in", wrong: "look again" };
      part.status.textContent = words[step.status] ?? "";
      for (const [i, input] of part.inputs.entries()) {
        if (step.status === "shown") input.value = step.entries[i];
        const off = step.status === "wrong" && input.value.trim() !== "" && !step.agrees[i];
        input.setAttribute("aria-invalid", String(off));
      }
      part.note.replaceChildren(
        ...(step.message ? [make("p", {}, step.message)] : []),
        ...(step.status === "right" ? [] : step.hints.map((hint) => make("p", { class: "rowwise-hint" }, hint))),
      );
      part.hintButton.hidden = !step.more;
    }
    const { record, explanation, explain } = page.show;
    explanation.innerHTML = view.explanation; // made by Python from numbers alone
    if (view.explanation) explanation.prepend(make("h3", {}, "The row worked through"));
    explain.hidden = Boolean(view.explanation);
    record.replaceChildren();
    if (view.record.length) {
      const rows = view.record.map((each) => make("tr", {}, make("th", { scope: "row" }, each.step), make("td", {}, `${each.right}`), make("td", {}, `${each.wrong}`)));
      record.append(make("h3", {}, "Your first answers so far"), make("table", {},
        make("thead", {}, make("tr", {}, make("td", {}, ""), make("th", { scope: "col" }, "right"), make("th", { scope: "col" }, "not yet"))),
        make("tbody", {}, ...rows)));
    }
  }

  function refresh() {
    const view = model.get("view");
    if (view.seed !== drawn) draw(view);
    update(view);
  }

  // What was done decides where the focus goes: on to the next open step, or to the first box of a new row.
  function heard(message) {
    if (message.said === undefined) return;
    said.textContent = message.said;
    const steps = model.get("view").steps;
    if (message.do === "new") return parts[steps[0].name].inputs[0].focus();
    const here = steps.findIndex((step) => step.name === message.step);
    const inside = here >= 0 && parts[message.step].inputs.includes(document.activeElement);
    if (message.do === "check" && inside && steps[here].status === "right") {
      const next = steps.find((step, i) => i > here && step.status !== "right");
      if (next) parts[next.name].inputs[0].focus();
    }
    if (message.do === "hint" && parts[message.step].hintButton.hidden) parts[message.step].checkButton.focus();
  }

  refresh();
  model.on("change:view", refresh);
  model.on("msg:custom", heard);
  return () => {
    model.off("change:view", refresh);
    model.off("msg:custom", heard);
  };
}

export default { render };
