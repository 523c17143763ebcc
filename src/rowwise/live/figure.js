// The figure: its state, what moves it, what it says, and its talk with Python.

const copy = (value) => JSON.parse(JSON.stringify(value));
// JSON has no such numbers.
const SPECIAL = { nan: NaN, inf: Infinity, "-inf": -Infinity };
let figures = 0;

class Figure {
  constructor(model, el) {
    Object.assign(this, { model, options: model.get("options"), state: copy(model.get("state")) });
    this.id = `rw${(figures += 1)}${Math.random().toString(36).slice(2)}`;
    this.stages = this.options.stages;
    this.outputs = this.stages.includes("output");
    this.masks = this.stages.includes("masked");
    this.frozen = Boolean(this.options.fn && model.frozen);
    Object.assign(this, { history: [], moves: {} });
    this.pinned = this.before = null;
    this.row = this.sent = 0;
    this.cell = { stage: this.stages.filter((s) => s !== "output").at(-1) ?? "output", i: 0, j: 0 };
    this.coordinate = ["K", 0, 0];
    this.results = this.calculate();
    this.build(el);
    this.listen();
  }

  /** Every stage: computed here, or as Python sent it where a student's function has its part in it. */
  calculate() {
    if (!this.options.fn) return compute(this.state);
    const read = (rows) => rows && rows.map((row) => row.map((x) => SPECIAL[x] ?? x));
    return Object.fromEntries(Object.entries(this.model.get("trace").stages).map(([stage, rows]) => [stage, read(rows)]));
  }

  // What the drawings ask.

  hidden(stage) {
    const stop = this.options.predict?.stage;
    return Boolean(stop && !this.model.get("prediction") && STAGES.indexOf(stage) >= STAGES.indexOf(stop));
  }

  seen(stage) {
    return this.hidden(stage) || !this.stages.includes(stage) ? null : this.results[stage];
  }

  /** Whether the lit query may attend to key j. */
  may(j) {
    return this.state.mask[this.row][j];
  }

  excluded(stage, i, j) {
    return (stage === "masked" || stage === "weights") && !this.state.mask[i][j];
  }

  marked(stage, i, j) {
    return this.seen(stage) && this.moves[stage]?.[i][j];
  }

  /** The small second number of a cell: the difference from the right one, or the pinned one where it differs. */
  under(stage, i, j) {
    const now = this.seen(stage)?.[i]?.[j] ?? null;
    if (now === null) return "";
    if (this.right) {
      const gap = now - this.right[stage][i][j];
      return now === this.right[stage][i][j] || Math.abs(gap) < 5e-4 ? "" : `${gap > 0 ? "+" : ""}${short(gap)}`;
    }
    const then = this.pinned?.results[stage]?.[i]?.[j] ?? null;
    return then === null || short(then) === short(now) ? "" : `(${short(then)})`;
  }

  slate(level) {
    return `rgb(${this.paper.map((x, n) => Math.round(x + (this.dark[n] - x) * level)).join()})`;
  }

  inMove(name) {
    return this.state[name] && (name === "V" ? this.state.V[0].length < 3 : this.planes);
  }

  // Moves. From `begin` to `finish` is one step of undo, compared with the state before it.

  begin() {
    if (this.open || this.frozen) return;
    this.open = true;
    this.before = { state: copy(this.state), results: this.results };
    this.history.push(this.before.state);
  }

  set(name, i, row) {
    if (!this.open) return;
    this.state[name][i] = row;
    this.changed();
  }

  finish() {
    if (!this.open) return;
    this.open = false;
    this.settle();
  }

  move(change) {
    this.begin();
    if (!this.open) return;
    change(this.state);
    this.changed(false);
    this.finish();
  }

  toggle(i, j) {
    this.move((s) => (s.mask[i][j] = !s.mask[i][j]));
  }

  undo() {
    this.before = { state: copy(this.state), results: this.results };
    this.state = this.history.pop();
    this.changed(false);
    this.settle();
  }

  changed(draw = true) {
    Object.assign(this.state, { n: (this.sent += 1), by: this.id });
    if (this.options.fn) this.send();
    else this.results = compute(this.state);
    // What Python reads may lag a little: the picture does not wait for it.
    clearTimeout(this.later);
    this.later = setTimeout(() => this.send(), 120);
    if (draw) this.draw();
  }

  settle() {
    this.address.measure?.();
    this.content?.measure?.();
    this.draw();
  }

  // Looking.

  light(i) {
    this.look(this.cell.stage, i, this.cell.j);
  }

  look(stage, i, j) {
    this.cell = { stage, i, j };
    this.row = i;
    this.draw();
  }

  point(cell) {
    this.hover = cell;
    this.explain();
  }

  /** A number was taken hold of: the slider now moves it. */
  choose(name, i, c) {
    const same = String(this.coordinate.slice(0, 2)) === String([name, i]);
    this.coordinate = [name, i, c ?? (same ? this.coordinate[2] : 0)];
    if (name === "Q" && i !== this.row) this.light(i);
    else this.controls.update();
  }

  pin() {
    this.pinned = this.pinned ? null : { state: copy(this.state), results: this.results };
    this.draw();
  }

  compare(on) {
    this.comparing = on;
    this.draw();
  }

  answer(text) {
    if (!text) return;
    this.model.set("prediction", text);
    this.model.save_changes();
    this.draw();
  }

  // Talk with Python.

  send() {
    if (this.told === this.sent) return;
    this.told = this.sent;
    this.model.set("state", copy(this.state));
    this.model.save_changes();
  }

  listen() {
    const heard = {
      state: () => {
        const state = this.model.get("state");
        if (state.by === this.id) return;
        this.before = { state: copy(this.state), results: this.results };
        this.state = copy(state);
        if (!this.options.fn) this.results = compute(this.state);
        this.settle();
      },
      trace: () => {
        this.results = this.calculate();
        this.draw();
      },
      options: () => {
        this.options = this.model.get("options");
        this.draw();
      },
      prediction: () => this.draw(),
    };
    const sizes = new ResizeObserver(() => this.layout());
    const theme = new MutationObserver(() => (this.readTheme(), this.draw()));
    sizes.observe(this.root);
    for (const node of [document.body, document.documentElement]) theme.observe(node, { attributes: true });
    for (const name in heard) this.model.on(`change:${name}`, heard[name]);
    this.leave = () => {
      for (const name in heard) this.model.off(`change:${name}`, heard[name]);
      clearTimeout(this.voice);
      sizes.disconnect();
      theme.disconnect();
    };
  }

  // Drawing.

  build(el) {
    const { K, V } = this.state;
    this.planes = K[0].length === 2;
    this.root = add(el, "div.figure.attention", { role: "group", "aria-label": "Scaled dot-product attention" });
    this.readTheme();
    if (this.options.predict) this.root.append((this.question = prediction(this)).root);
    const picture = add(this.root, "div.picture");
    const side = (title, about, names, draw) => {
      const part = add(picture, `section.side.${names === "V" ? "content" : "address"}-side`);
      add(part, "h3.heading", { text: title });
      add(part, "p.about", { text: about });
      const panel = draw ? draw(this) : strips(part, this, names);
      if (panel.root) part.append(panel.root);
      return panel;
    };
    this.address = side("Which keys are relevant?", "addressing: queries and keys", "QK", this.planes && addressing);
    const middle = add(picture, "div.middle", {}, (this.matrices = matrices(this)).root);
    this.line = add(middle, "div.arithmetic");
    this.tutor = add(middle, "div.tutor", { role: "status" });
    const about = `content: values${this.outputs ? " mixed by the row" : ", not mixed yet"}`;
    if (V) this.content = side("What comes back?", about, "V", V[0].length < 3 && content);
    picture.append((this.controls = controls(this)).root);
    this.spoken = add(this.root, "p.spoken", { role: "status" });
    this.layout();
    this.settle();
  }

  readTheme() {
    const style = getComputedStyle(this.root);
    const read = (name) => style.getPropertyValue(name).match(/[\da-f]{2}/gi).map((h) => parseInt(h, 16));
    [this.paper, this.dark] = [read("--rw-paper"), read("--rw-slate")];
  }

  /** All in one row, or the panels left of the matrices, or above them: whatever the width allows. */
  layout() {
    const width = this.root.clientWidth - 32;
    if (width <= 0 || width === this.width) return;
    this.width = width;
    const [left, right] = [this.address.width, this.content?.width ?? 0];
    const wide = width - left - right - (right ? 72 : 36);
    const beside = width - Math.max(left, right) - 36;
    const { total, least } = this.matrices;
    const how = total(48) <= wide ? "wide" : Math.max(least(54), Math.min(total(48), 440)) <= beside ? "medium" : "narrow";
    this.root.dataset.layout = how;
    this.matrices.layout({ wide, medium: beside, narrow: width }[how]);
  }

  draw() {
    this.right = this.comparing && this.options.allow_difference ? compute(this.state) : null;
    this.moves = {};
    for (const stage of this.before ? this.stages : []) {
      const [then, now] = [this.before.results[stage], this.results[stage]];
      if (then && now) this.moves[stage] = differs(then, now);
    }
    for (const part of [this.address, this.content, this.matrices, this.controls, this.question]) part?.update();
    this.explain();
    this.advise();
    clearTimeout(this.voice);
    this.voice = setTimeout(() => put(this.spoken, { text: account(this.state, this.results, this.stages.filter((s) => !this.hidden(s))) }), 500);
  }

  /** The arithmetic of the cell that is pointed at, else of the chosen one. */
  explain() {
    const { stage, i, j } = this.hover ?? this.cell;
    const hidden = { what: cellName(stage, i, j), parts: ["hidden until you have answered"], result: null, note: "" };
    const { what, parts, result, note } = this.hidden(stage) ? hidden : arithmetic(stage, i, j, this.state, this.results);
    const theirs = this.seen(stage)?.[i]?.[j] ?? null;
    const off = stage === this.options.fn?.stage && theirs !== null && !Object.is(theirs, result) && !(Math.abs(theirs - result) < 2e-3);
    const end = off ? `?  Your function gives ${three(theirs)}` : result === null ? "" : three(result);
    const all = [what, note, plain(parts), end].join("|");
    if (this.explained === all) return;
    this.explained = all;
    this.line.replaceChildren();
    add(this.line, "p.what", {}, add(null, "span", { text: what }), add(null, "span", { text: note }));
    const sum = parts.map((p) => (typeof p === "string" ? p : add(null, "sup", { text: p.sup })));
    add(this.line, "p.sumline", {}, ...sum, add(null, "b", { text: end }));
  }

  /** What a tutor would say of the student's numbers. */
  advise() {
    const words = this.options.fn ? [...this.model.get("trace").words] : [];
    if (this.frozen) words.push("No kernel runs behind this page: the picture stands as your function drew it.");
    if (this.advised === String(words)) return;
    this.advised = String(words);
    this.tutor.replaceChildren(...words.map((text) => add(null, "p", { text })));
  }
}

function strips(parent, figure, names) {
  const updates = [...names].map((name) => numbers(add(parent, "div.strip"), figure, name));
  return { width: 4 + 56 * figure.state[names[0]][0].length, update: () => updates.forEach((one) => one()) };
}

function render({ model, el }) {
  const figure = new Figure(model, el);
  return () => figure.leave();
}

export default { render };
