// The figure itself: its state, what moves it, what it says, and its talk with Python.

function html(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  if (["BUTTON", "INPUT", "SELECT"].includes(node.tagName)) keepKeys(node);
  node.append(...children);
  return node;
}

/** JupyterLab's own shortcuts take the arrow keys, unless this stands on the very element that has the focus. */
function keepKeys(node) {
  node.dataset.lmSuppressShortcuts = "true";
}

const copy = (state) => JSON.parse(JSON.stringify(state));
const SPECIAL = { nan: NaN, inf: Infinity, "-inf": -Infinity };
const decode = (rows) => rows && rows.map((row) => row.map((x) => SPECIAL[x] ?? x));
let figures = 0;

class Figure {
  constructor(model, el) {
    this.model = model;
    this.options = model.get("options");
    this.id = `rw-a${(figures += 1)}-${Math.random().toString(36).slice(2, 7)}`;
    this.stages = this.options.stages;
    this.outputs = this.stages.includes("output");
    this.masks = this.stages.includes("masked");
    this.state = copy(model.get("state"));
    this.initial = copy(this.options.initial);
    this.history = [];
    this.pinned = null;
    this.row = 0;
    this.sent = 0;
    this.trace = model.get("trace");
    this.results = this.calculate();
    this.before = null;
    const last = this.stages.filter((s) => s !== "output").at(-1) ?? "output";
    this.cell = { stage: last, i: 0, j: 0 };
    this.coordinate = ["K", 0, 0];
    this.frozen = Boolean(this.options.fn && model.frozen);
    this.build(el);
    this.follow();
  }

  // ---- numbers

  /** Every stage: ours up to the student's, theirs from there on. */
  calculate() {
    const ours = compute(this.state);
    if (!this.options.fn) return ours;
    const theirs = Object.fromEntries(Object.entries(this.trace.stages ?? {}).map(([s, rows]) => [s, decode(rows)]));
    for (const stage of STAGES.slice(STAGES.indexOf(this.options.fn.stage))) theirs[stage] ??= null;
    return { ...ours, ...theirs };
  }

  shape(stage) {
    const { Q, K, V } = this.state;
    return Q.map(() => Array(stage === "output" ? V[0].length : K.length).fill(null));
  }

  range(names, least) {
    const numbers = [...names].flatMap((n) => this.state[n].flat());
    const high = reach(numbers, least);
    return names === "V" && numbers.every((x) => x >= 0) ? [0, high] : [-high, high];
  }

  excluded(stage, i, j) {
    return (stage === "masked" || stage === "weights") && !this.state.mask[i][j];
  }

  hidden(stage) {
    const p = this.options.predict;
    return Boolean(p && !this.answer() && STAGES.indexOf(stage) >= STAGES.indexOf(p.stage));
  }

  marked(stage, i, j) {
    return Boolean(!this.hidden(stage) && this.moves?.[stage]?.[i]?.[j]);
  }

  /** The small second number of a cell: the pinned one where it differs, or the difference from the right one. */
  under(stage, i, j) {
    const now = this.results[stage]?.[i]?.[j];
    if (this.differences && this.options.allow_difference) {
      const right = this.right[stage]?.[i]?.[j];
      if (now === null || now === undefined || Object.is(now, right) || Math.abs(now - right) < 5e-4) return "";
      return Number.isFinite(now - right) ? `${now > right ? "+" : ""}${short(now - right)}` : `not ${short(right)}`;
    }
    const then = this.pinned?.results[stage]?.[i]?.[j];
    return then === undefined || then === null || short(then) === short(now) ? "" : `(${short(then)})`;
  }

  slate(level) {
    const [a, b] = this.colours;
    return `rgb(${a.map((x, n) => Math.round(x + (b[n] - x) * level)).join(",")})`;
  }

  // ---- moves

  /** Opens a move: everything until `finish` is one step of undo, and is compared with the state before it. */
  begin() {
    if (this.open) return;
    this.open = true;
    this.before = { state: copy(this.state), results: this.results };
    this.history.push(this.before.state);
  }

  finish() {
    this.open = false;
    this.remeasure();
    this.draw();
    this.tell(true);
  }

  set(name, i, row) {
    if (this.frozen) return;
    this.state[name][i] = row;
    this.changed();
  }

  /** One whole move: fn changes the state. */
  move(fn) {
    if (this.frozen) return;
    this.begin();
    fn(this.state);
    this.changed();
    this.finish();
  }

  toggle(i, j) {
    this.move((s) => (s.mask[i][j] = !s.mask[i][j]));
  }

  undo() {
    if (!this.history.length) return;
    this.before = { state: copy(this.state), results: this.results };
    this.state = this.history.pop();
    this.changed();
    this.finish();
  }

  changed() {
    this.right = null;
    if (!this.options.fn) this.results = compute(this.state);
    this.send();
    this.draw();
  }

  // ---- looking

  light(i) {
    this.row = i;
    this.cell = { ...this.cell, i };
    this.draw();
  }

  look(stage, i, j) {
    this.cell = { stage, i, j };
    this.row = i;
    this.draw();
  }

  point(stage, i, j) {
    this.hover = stage && { stage, i, j };
    this.explain();
  }

  /** A coordinate was taken hold of: the slider now moves it. */
  choose(name, i, c) {
    if (name === "Q" && i !== this.row) this.light(i);
    this.coordinate = [name, i, c ?? (this.coordinate[0] === name && this.coordinate[1] === i ? this.coordinate[2] : 0)];
    this.controls.update();
  }

  // ---- talk with Python

  send() {
    this.state.n = this.sent += 1;
    this.state.by = this.id;
    this.tell(Boolean(this.options.fn));
  }

  /** With a student's function every move is sent at once; else what Python reads may lag a little behind. */
  tell(now) {
    clearTimeout(this.timer);
    const say = () => {
      if (this.told === this.sent) return;
      this.told = this.sent;
      this.model.set("state", copy(this.state));
      this.model.save_changes();
    };
    if (now) say();
    else this.timer = setTimeout(say, 120);
  }

  follow() {
    const on = {
      "change:state": () => {
        const state = this.model.get("state");
        if (state.by === this.id) return;
        this.before = { state: copy(this.state), results: this.results };
        this.state = copy(state);
        this.right = null;
        if (!this.options.fn) this.results = compute(this.state);
        this.remeasure();
        this.draw();
      },
      "change:trace": () => {
        this.trace = this.model.get("trace");
        this.results = this.calculate();
        this.draw();
      },
      "change:options": () => {
        this.options = this.model.get("options");
        this.draw();
      },
      "change:prediction": () => this.draw(),
    };
    for (const [event, act] of Object.entries(on)) this.model.on(event, act);
    this.leave = () => {
      for (const [event, act] of Object.entries(on)) this.model.off(event, act);
      clearTimeout(this.timer);
      clearTimeout(this.voice);
      this.sizes.disconnect();
      this.theme.disconnect();
    };
  }

  answer() {
    return this.model.get("prediction");
  }

  // ---- drawing

  build(el) {
    const panel = (title, about, drawing, side) =>
      html("section", { class: `rw-side rw-${side}` }, html("h3", { class: "rw-heading", text: title }), html("p", { class: "rw-about", text: about }), drawing.root);
    const size = 250;
    const { K, V } = this.state;
    this.addressing = K[0].length === 2 ? addressingPlane(this, size) : strips(this, ["Q", "K"], "Addressing: queries and keys");
    const contents = { 1: contentLine, 2: contentPlane };
    this.content = V && (contents[V[0].length]?.(this, size) ?? strips(this, ["V"], "Content: values and outputs"));
    this.readTheme = () => {
      const style = getComputedStyle(this.root);
      const rgb = (name) => style.getPropertyValue(name).trim().match(/[\da-f]{2}/gi).map((h) => parseInt(h, 16));
      this.colours = [rgb("--rw-paper"), rgb("--rw-slate")];
    };
    this.colours = [[255, 255, 255], [135, 149, 164]];
    this.matrices = matrices(this, this.stages);
    this.line = html("div", { class: "rw-arithmetic" });
    this.tutor = html("div", { class: "rw-tutor", role: "status" });
    this.spoken = html("p", { class: "rw-spoken", role: "status" });
    this.controls = controls(this);
    this.question = this.options.predict ? prediction(this) : null;
    const middle = html("div", { class: "rw-middle" }, this.matrices.root, this.line, this.tutor);
    const about = this.outputs ? "content: values mixed by the row" : "content: values, not mixed yet";
    this.root = html("div", { class: "rw-figure rw-attention", role: "group", "aria-label": "Scaled dot-product attention" });
    if (this.question) this.root.append(this.question.root);
    const picture = html("div", { class: "rw-picture" }, panel("Which keys are relevant?", "addressing: queries and keys", this.addressing, "address"), middle);
    if (this.content) picture.append(panel("What comes back?", about, this.content, "content"));
    this.root.append(picture, this.controls.root, this.spoken);
    el.append(this.root);
    this.readTheme();
    this.sizes = new ResizeObserver(() => this.layout());
    this.sizes.observe(this.root);
    this.theme = new MutationObserver(() => (this.readTheme(), this.draw()));
    for (const node of [document.body, document.documentElement]) this.theme.observe(node, { attributes: true });
    this.layout();
    this.draw();
  }

  /** All in one row, or the panels at the left of the matrices, or above them: whatever the width allows. */
  layout() {
    const width = this.root.clientWidth - 32;
    if (width <= 0 || width === this.width) return;
    this.width = width;
    const left = this.addressing.width;
    const right = this.content?.width ?? 0;
    const side = Math.max(left, right) + 36;
    const { total, widest } = this.matrices;
    const wide = left + right + 72 + total <= width;
    const medium = !wide && side + Math.max(widest, Math.min(total, 420)) <= width;
    this.root.dataset.layout = wide ? "wide" : medium ? "medium" : "narrow";
    const room = wide ? width - left - right - 72 : medium ? width - side : width;
    this.matrices.layout(room);
  }

  remeasure() {
    this.addressing.measure();
    this.content?.measure();
  }

  draw() {
    if (!this.controls) return;
    this.right ??= this.options.fn && this.options.allow_difference ? compute(this.state) : {};
    this.moves = {};
    if (this.before) for (const stage of this.stages) {
      const [a, b] = [this.before.results[stage], this.results[stage]];
      if (a && b) this.moves[stage] = differs(a, b);
    }
    this.addressing.update();
    this.content?.update();
    this.matrices.update();
    this.controls.update();
    this.question?.update();
    this.explain();
    this.advise();
    clearTimeout(this.voice);
    this.voice = setTimeout(() => (this.spoken.textContent = account(this.state, this.results, this.stages.filter((s) => !this.hidden(s)))), 500);
  }

  /** The arithmetic of the cell that is pointed at, else of the chosen one. */
  explain() {
    const { stage, i, j } = this.hover ?? this.cell;
    const hidden = this.hidden(stage);
    const { what, parts, result, note } = hidden
      ? { what: cellName(stage, i, j), parts: ["hidden until you have answered"], result: null, note: "" }
      : arithmetic(stage, i, j, this.state, this.results);
    const theirs = this.results[stage]?.[i]?.[j];
    const told = this.options.fn && !hidden && STAGES.indexOf(stage) === STAGES.indexOf(this.options.fn.stage);
    const off = told && theirs !== null && theirs !== undefined && !(Math.abs(theirs - result) < 2e-3) && !Object.is(theirs, result);
    const words = [what, plain(parts), result, note, off, theirs].join("|");
    if (words === this.explained) return;
    this.explained = words;
    const sum = html("p", { class: "rw-sumline" }, ...parts.map((p) => (typeof p === "string" ? p : html("sup", { text: p.sup }))));
    if (off) sum.append("… ", html("b", { text: `your function gives ${three(theirs)}` }));
    else if (result !== null) sum.append(html("b", { text: three(result) }));
    this.line.replaceChildren(html("p", { class: "rw-what" }, html("span", { text: what }), html("span", { text: note })), sum);
  }

  advise() {
    const told = this.trace?.words ?? [];
    const text = [...told, this.frozen ? "There is no kernel on this page: the picture stands as your function drew it." : ""].filter(Boolean);
    if (String(text) === this.advised) return;
    this.advised = String(text);
    this.tutor.replaceChildren(...text.map((t) => html("p", { text: t })));
  }
}

/** Everything under the picture: what the last move changed, the numbers, the mask, the slider, the buttons. */
function controls(figure) {
  const { state, options } = figure;
  const changes = html("p", { class: "rw-changes", role: "status" });
  const help = html("p", { class: "rw-about", text: "drag an arrow or a square, type, or use the arrow keys" });
  const root = html("div", { class: "rw-move" }, html("div", { class: "rw-last" }, html("h3", { class: "rw-heading", text: "Move it" }), help, changes));
  const tables = ["Q", "K", "V"].filter((name) => state[name]).map((name) => numbers(figure, name));
  for (const table of tables) root.append(table.root);
  const ticks = figure.masks ? maskTicks(figure) : null;
  if (ticks) root.append(ticks.root);
  const slide = slider(figure);
  const button = (text, click) => html("button", { type: "button", class: "rw-button", text, onclick: click });
  const pin = button("Pin", () => {
    figure.pinned = figure.pinned ? null : { state: copy(figure.state), results: figure.results };
    figure.draw();
  });
  pin.setAttribute("aria-pressed", "false");
  const undo = button("Undo", () => figure.undo());
  const reset = button("Reset", () => figure.move((s) => Object.assign(s, copy(figure.initial))));
  const buttons = html("div", { class: "rw-buttons" }, pin, undo, reset);
  const extra = html("div", { class: "rw-buttons" });
  if (figure.masks) {
    const n = state.K.length;
    const presets = { "no mask": () => true, causal: (i, j) => j <= i, padding: (i, j) => j < n - Math.max(1, Math.floor(n / 4)) };
    for (const [name, may] of Object.entries(presets))
      extra.append(button(name, () => figure.move((s) => (s.mask = s.mask.map((row, i) => row.map((_, j) => may(i, j)))))));
  }
  const toggle = (text, change) => {
    const box = html("input", { type: "checkbox", onchange: () => change(box.checked) });
    return [box, html("label", { class: "rw-toggle" }, box, text)];
  };
  const [scale, scaleLabel] = toggle("divide by √d_k", (on) => figure.move((s) => (s.scale = on)));
  if (figure.stages.includes("scaled")) extra.append(scaleLabel);
  const [differ, differLabel] = toggle("difference from the right numbers", (on) => ((figure.differences = on), figure.draw()));
  if (options.fn) extra.append(differLabel);
  extra.append(button("Save SVG", () => save(figure, "svg")), button("Save PNG", () => save(figure, "png")));
  root.append(html("div", { class: "rw-tools" }, slide.root, buttons, extra));
  const update = () => {
    for (const part of [...tables, slide, ...(ticks ? [ticks] : [])]) part.update();
    put(pin, { "aria-pressed": Boolean(figure.pinned), text: figure.pinned ? "Unpin" : "Pin" });
    undo.disabled = !figure.history.length || figure.frozen;
    scale.checked = figure.state.scale;
    differLabel.hidden = !figure.options.allow_difference;
    differ.checked = Boolean(figure.differences);
    tellChanges(figure, changes);
  };
  return { root, update };
}

function tellChanges(figure, node) {
  const stages = figure.stages.filter((s) => !figure.hidden(s));
  let parts = [figure.pinned ? "Pinned numbers stand in brackets." : ""];
  if (figure.before) {
    const { changed, still } = whatChanged(figure.before, { state: figure.state, results: figure.results }, stages);
    const did = changed.length ? [" changed ", html("b", { text: `${changed.join(", ")}.` })] : [" changed no number that is shown."];
    parts = ["Your last move", ...did, still.length ? ` Not changed: ${still.join(", ")}. ` : " ", ...parts];
  }
  const text = parts.map((p) => p.textContent ?? p).join("");
  if (node.textContent !== text) node.replaceChildren(...parts);
}

/** A box for each number of Q, K or V. What is no number is said to be none, and the number stays. */
function numbers(figure, name) {
  const [base, word] = LETTERS[name];
  const rows = figure.state[name];
  const table = html("div", { class: `rw-numbers rw-${name}`, style: `--rw-columns:${rows[0].length}` });
  const boxes = rows.map((row, i) =>
    row.map((_, c) => {
      const box = html("input", { type: "text", inputmode: "decimal", class: "rw-box", "aria-label": `${word} ${i + 1}, ${ordinal(c)} number` });
      const write = (x) => figure.move((s) => (s[name][i][c] = x));
      box.addEventListener("focus", () => figure.choose(name, i, c));
      box.addEventListener("change", () => {
        const typed = box.value.trim().replaceAll("−", "-").replace(",", ".");
        const x = typed === "" ? NaN : Number(typed);
        box.setAttribute("aria-invalid", String(!Number.isFinite(x)));
        if (Number.isFinite(x) && !figure.frozen) write(x);
        note.textContent = Number.isFinite(x) ? "" : `${typed === "" ? "An empty box" : `“${typed}”`} is no finite number: ${base}${i + 1} keeps ${full(figure.state[name][i][c])}.`;
      });
      box.addEventListener("blur", () => {
        box.value = full(figure.state[name][i][c]);
        box.setAttribute("aria-invalid", "false");
      });
      box.addEventListener("keydown", (event) => {
        event.stopPropagation();
        const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (event.key === "Enter") box.dispatchEvent(new Event("change"));
        if (!by) return;
        event.preventDefault();
        write(tidy(figure.state[name][i][c] + by * (event.shiftKey ? 0.01 : 0.1)));
        box.value = full(figure.state[name][i][c]);
      });
      table.append(box);
      return box;
    }),
  );
  const note = html("p", { class: "rw-note", role: "status" });
  const head = html("h3", { class: "rw-heading" }, html("span", { class: `rw-${name}`, text: name }), html("span", { class: "rw-about", text: ` (${rows.length}, ${rows[0].length})` }));
  const update = () => {
    const [n, i, c] = figure.coordinate;
    boxes.forEach((row, r) => row.forEach((box, k) => {
      const value = full(figure.state[name][r][k]);
      if (document.activeElement !== box && box.value !== value) box.value = value;
      put(box, { "data-chosen": n === name && i === r && c === k });
    }));
  };
  return { root: html("div", {}, head, table, note), update };
}

function maskTicks(figure) {
  const n_k = figure.state.K.length;
  const table = html("div", { class: "rw-ticks-table", style: `--rw-columns:${n_k}` });
  const boxes = figure.state.mask.map((row, i) =>
    row.map((_, j) => {
      const box = html("input", { type: "checkbox", class: "rw-tick", "aria-label": `query ${i + 1} may attend to key ${j + 1}` });
      box.addEventListener("change", () => figure.toggle(i, j));
      table.append(box);
      return box;
    }),
  );
  const head = html("h3", { class: "rw-heading" }, html("b", { text: "mask" }), html("span", { class: "rw-about", text: " may attend" }));
  const update = () => boxes.forEach((row, i) => row.forEach((box, j) => (box.checked = figure.state.mask[i][j])));
  return { root: html("div", {}, head, table), update };
}

/** One slider, for the number that was last taken hold of. */
function slider(figure) {
  const label = html("label", { class: "rw-slider-name", for: `${figure.id}-slider` });
  const input = html("input", { type: "range", class: "rw-range", id: `${figure.id}-slider`, step: 0.05 });
  const value = html("output", { class: "rw-slider-value" });
  input.addEventListener("input", () => {
    const [name, i, c] = figure.coordinate;
    figure.begin();
    figure.set(name, i, figure.state[name][i].map((x, k) => (k === c ? Number(input.value) : x)));
  });
  input.addEventListener("change", () => figure.finish());
  input.addEventListener("keydown", (event) => event.stopPropagation());
  const update = () => {
    const [name, i, c] = figure.coordinate;
    const x = figure.state[name][i][c];
    const high = figure.open && input.max ? Number(input.max) : reach(figure.state[name].flat(), 2);
    put(input, { min: -high, max: high, "aria-label": `${LETTERS[name][1]} ${i + 1}, ${ordinal(c)} number`, "aria-valuetext": full(x) });
    if (Number(input.value) !== x) input.value = x;
    if (label.rwText !== `${name}${i}${c}`) {
      label.rwText = `${name}${i}${c}`;
      label.replaceChildren(LETTERS[name][0], html("sub", { text: i + 1 }), `, ${ordinal(c)} number`);
    }
    put(input, { style: `accent-color: var(--rw-${LETTERS[name][1]})` });
    put(value, { text: full(x) });
  };
  return { root: html("div", { class: "rw-slide" }, label, html("div", {}, input, value)), update };
}
