// Pieces that the smaller figures are put together from. Python sets this text before each figure's own, so that a
// figure stays one plain module with nothing to download.

const SVG_TAGS = new Set(["svg", "g", "rect", "line", "path", "circle", "text", "title", "desc"]);
const FOCUSABLE = new Set(["button", "input", "select"]);

/** An HTML or SVG element; `text` is its text, every other name an attribute; null leaves an attribute out. */
function make(tag, attributes = {}, ...children) {
  const svg = SVG_TAGS.has(tag);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (value !== null) node.setAttribute(name, value);
  }
  if (FOCUSABLE.has(tag) || "tabindex" in attributes) keepKeys(node);
  node.append(...children);
  return node;
}

/** JupyterLab's own shortcuts take the arrow keys, unless this stands on the very element that has the focus. */
function keepKeys(node) {
  node.dataset.lmSuppressShortcuts = "true";
}

/** A number with a true minus sign, and no minus sign before a zero. */
function digits(x, places = 2) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const text = Math.abs(x) >= 1e7 ? x.toExponential(2).replace("e+", "e") : x.toFixed(places);
  return (Number(text) === 0 ? text.replace("-", "") : text).replaceAll("-", "−");
}

/** A small number is shown as 3.4e−6 rather than as 0.00. */
function fine(x, places = 2) {
  if (x === 0 || !Number.isFinite(x) || Math.abs(x) >= 0.5 * 10 ** -places) return digits(x, places);
  return x.toExponential(1).replace("-", "−");
}

/** Base with a subscript: k₁. */
function sub(base, index) {
  return make("span", {}, base, make("sub", { text: index }));
}

/** A title and what it is a picture of, in quieter letters. */
function heading(title, about) {
  const small = make("span", { class: "rw-about", text: about ?? "" });
  const node = make("h3", { class: "rw-heading" }, make("span", { class: "rw-title", text: title }), small);
  node.about = small;
  return node;
}

/** A table of numbers whose cells can be pointed at or reached with the arrow keys; `chosen(i, j)` is told which.
 * With `hover` false, pointing is not enough: the cell has to be clicked or focused. */
function grid({ label, columns, rows, corner = "", chosen, hover = true }) {
  const table = make("table", { class: "rw-grid", role: "grid", "aria-label": label });
  const head = make("tr", {}, make("td", { text: corner, class: "rw-corner" }));
  for (const column of columns) head.append(make("th", { scope: "col" }, column));
  table.append(make("thead", {}, head));
  const body = make("tbody");
  const cells = rows.map((row, i) => {
    const line = make("tr", {}, make("th", { scope: "row" }, row));
    const made = columns.map((_, j) => {
      const cell = make("td", { role: "gridcell", class: "rw-cell", tabindex: i + j === 0 ? 0 : -1 });
      cell.addEventListener("focus", () => chosen?.(i, j));
      cell.addEventListener("click", () => cell.focus()); // a finger's tap does not always move the focus
      if (hover) cell.addEventListener("pointerenter", () => chosen?.(i, j));
      return cell;
    });
    line.append(...made);
    body.append(line);
    return made;
  });
  table.append(body);
  table.addEventListener("keydown", (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const i = cells.findIndex((row) => row.includes(event.target));
    if (!step || i < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = cells[i + step[0]]?.[cells[i].indexOf(event.target) + step[1]];
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  return { table, body, cells };
}

/** Writes a number into a cell; `level` from 0 to 1 is how dark its slate is. */
function fill(cell, text, level) {
  if (cell.textContent !== text) cell.textContent = text;
  cell.style.setProperty("--rw-level", `${Math.round(100 * Math.min(1, Math.max(0, level || 0)))}%`);
}

/** Runs an action whenever a number of the model changes, from wherever; what it returns ends that. */
function follow(model, actions) {
  for (const [name, act] of Object.entries(actions)) model.on(`change:${name}`, act);
  return () => {
    for (const [name, act] of Object.entries(actions)) model.off(`change:${name}`, act);
  };
}

/** A status line that a screen reader hears once the moving has stopped. */
function spoken() {
  const node = make("p", { class: "rw-spoken", role: "status", "aria-live": "polite" });
  let timer;
  return {
    node,
    say(text) {
      clearTimeout(timer);
      timer = setTimeout(() => (node.textContent = text), 400);
    },
    stop: () => clearTimeout(timer),
  };
}

/** A labelled range input; `spell` turns its value into what a screen reader says. */
function slider({ label, min, max, step, value, spell, moved }) {
  const input = make("input", { type: "range", min, max, step, "aria-label": label, class: "rw-range" });
  input.value = value;
  const tell = () => input.setAttribute("aria-valuetext", spell(Number(input.value)));
  tell();
  input.addEventListener("input", () => {
    tell();
    moved(Number(input.value));
  });
  return { input, set: (x) => ((input.value = x), tell()) };
}

/** A box for a number. What cannot be taken is left standing, said to be so, and changes nothing. */
function typed({ label, value, min, max, whole = false, moved, refused }) {
  const box = make("input", { type: "text", inputmode: "decimal", "aria-label": label, class: "rw-box" });
  box.value = digits(value, whole ? 0 : 2);
  const read = () => {
    const text = box.value.trim().replace("−", "-").replace(",", ".");
    const x = text === "" ? NaN : Number(text);
    const good = Number.isFinite(x) && x >= min && x <= max && (!whole || Number.isInteger(x));
    box.setAttribute("aria-invalid", String(!good));
    if (good) moved(x);
    else refused?.(box.value.trim());
  };
  box.addEventListener("input", read);
  return {
    box,
    set: (x) => {
      if (document.activeElement !== box) box.value = String(Number(x.toFixed(4))).replace("-", "−");
      box.setAttribute("aria-invalid", "false");
    },
  };
}

/** One of several, as radio buttons in a labelled group. */
function choices({ label, options, value, chosen }) {
  const name = `rw${Math.random().toString(36).slice(2)}`;
  const group = make("fieldset", { class: "rw-choices" }, make("legend", { text: label }));
  const inputs = options.map(([key, text]) => {
    const input = make("input", { type: "radio", name, value: key });
    input.checked = key === value;
    input.addEventListener("change", () => chosen(key));
    group.append(make("label", {}, input, text));
    return input;
  });
  return { group, inputs, set: (key) => inputs.forEach((input) => (input.checked = input.value === key)) };
}

function button(label, pressed) {
  const node = make("button", { type: "button", class: "rw-button", text: label });
  node.addEventListener("click", pressed);
  return node;
}
