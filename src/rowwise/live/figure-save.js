// Saving the picture, and asking for a prediction before a stage is shown.

const PAINT = ["fill", "stroke", "stroke-width", "stroke-dasharray", "fill-opacity", "stroke-opacity", "stroke-linecap", "font-size", "font-weight", "font-family", "text-anchor", "visibility", "font-variant-numeric"];

/** The picture as one SVG that needs no style sheet: the panels and matrices where they stand, then the arithmetic. */
function pictureSvg(figure) {
  const box = figure.root.querySelector(".rw-picture").getBoundingClientRect();
  const [width, height] = [Math.ceil(box.width) + 24, Math.ceil(box.height) + 24];
  const out = svg("svg", { xmlns: NS, width, height, viewBox: `0 0 ${width} ${height}` });
  const paper = getComputedStyle(figure.root).backgroundColor;
  svg("rect", { width, height, fill: paper }, out);
  for (const live of figure.root.querySelectorAll(".rw-picture svg")) {
    const at = live.getBoundingClientRect();
    const still = live.cloneNode(true);
    const [from, to] = [live, still].map((root) => [root, ...root.querySelectorAll("*")]);
    from.forEach((node, n) => {
      const style = getComputedStyle(node);
      to[n].setAttribute("style", PAINT.map((p) => `${p}:${style.getPropertyValue(p)}`).join(";"));
      for (const name of ["class", "tabindex", "role", "data-lm-suppress-shortcuts"]) to[n].removeAttribute(name);
    });
    still.setAttribute("x", at.x - box.x + 12);
    still.setAttribute("y", at.y - box.y + 12);
    still.setAttribute("overflow", "visible");
    out.append(still);
  }
  for (const line of figure.root.querySelectorAll(".rw-picture h3, .rw-picture p")) words(line, box, out);
  const desc = svg("desc", {}, out);
  desc.textContent = account(figure.state, figure.results, figure.stages);
  return out;
}

/** HTML text as SVG text: each stretch of one style goes where the browser put it, line by line. */
function words(line, box, out) {
  const walk = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walk.nextNode()) {
    const style = getComputedStyle(walk.currentNode.parentElement);
    for (const match of walk.currentNode.data.matchAll(/\S+/g)) {
      range.setStart(walk.currentNode, match.index);
      range.setEnd(walk.currentNode, match.index + match[0].length);
      const at = range.getBoundingClientRect();
      const size = parseFloat(style.fontSize);
      const text = svg("text", { x: at.x - box.x + 12, y: at.y - box.y + 12 + at.height / 2 + size * 0.36, fill: style.color, "font-size": size, "font-weight": style.fontWeight, "font-family": style.fontFamily }, out);
      text.textContent = match[0];
    }
  }
}

function save(figure, kind) {
  const picture = pictureSvg(figure);
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }));
  const keep = (href, name) => html("a", { href, download: name }).click();
  if (kind === "svg") return keep(url, "attention.svg");
  const image = new Image();
  image.onload = () => {
    const canvas = html("canvas", { width: 2 * image.width, height: 2 * image.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => keep(URL.createObjectURL(blob), "attention.png"));
  };
  image.src = url;
}

/** The question that stands above the picture until it is answered; then the answer and the finding side by side. */
function prediction(figure) {
  const { question, choices, finding, stage } = figure.options.predict;
  const root = html("section", { class: "rw-predict", "aria-label": "Predict" });
  const commit = html("button", { type: "button", class: "rw-button", text: "Commit my answer" });
  const field = choices ? null : html("input", { type: "text", class: "rw-box rw-answer", "aria-label": "Your prediction" });
  const radios = (choices ?? []).map((text) => html("input", { type: "radio", name: `${figure.id}-predict`, value: text }));
  const given = () => (choices ? radios.find((r) => r.checked)?.value : field.value.trim()) || "";
  const ready = () => (commit.disabled = !given());
  for (const input of field ? [field] : radios) {
    input.addEventListener("input", ready);
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" && given()) commit.click();
    });
  }
  commit.addEventListener("click", () => {
    figure.model.set("prediction", given());
    figure.model.save_changes();
    figure.draw();
    root.querySelector(".rw-said")?.focus();
  });
  let state = null;
  const update = () => {
    const answer = figure.answer();
    if (state === answer) return;
    state = answer;
    const ask = html("p", { class: "rw-question" }, html("b", { text: "Predict: " }), question);
    if (!answer) {
      const labels = radios.map((r) => html("label", { class: "rw-toggle" }, r, r.value));
      const why = html("p", { class: "rw-about", text: `The ${stage} stay hidden until you have answered. Kept for you, never marked.` });
      root.replaceChildren(ask, html("div", { class: "rw-choices", role: "group", "aria-label": question }, ...(field ? [field] : labels), commit), why);
      ready();
      return;
    }
    const side = (title, text) => html("div", {}, html("p", { class: "rw-about", text: title }), html("p", { text }));
    const said = html("div", { class: "rw-said", tabindex: -1 }, side("You said", answer), side("The picture shows", finding || `the ${stage}, below: compare them with your answer.`));
    root.replaceChildren(ask, said);
  };
  update();
  return { root, update };
}
