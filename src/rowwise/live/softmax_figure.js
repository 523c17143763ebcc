// Softmax of one row, step by step: exponentials, their sum, weights; and the same matrix along rows and along columns.

/** Every step for one row. `shift` is added to each score; with `subtract` the row's own maximum is taken away first. */
export function steps(scores, shift = 0, subtract = true) {
  const shifted = scores.map((s) => s + shift);
  const largest = Math.max(...shifted);
  const exponents = subtract ? shifted.map((s) => s - largest) : shifted;
  const e = exponents.map(Math.exp);
  const total = e.reduce((a, b) => a + b, 0);
  return { shifted, largest, exponents, e, total, weights: e.map((x) => x / total) };
}

export function transpose(M) {
  return M[0].map((_, j) => M.map((row) => row[j]));
}

/** Weights along each row, and along each column: the second is the slip that row sums give away. */
export function both(S) {
  const softmax = (row) => steps(row).weights;
  return { rows: S.map(softmax), columns: transpose(transpose(S).map(softmax)) };
}

const LIMIT = 1e6; // of a score and of the shift: room enough for every overflow, and no sum of two overflows by itself
const total = (numbers) => numbers.reduce((a, b) => a + b, 0);
const sumOf = (row) => `Σ ${digits(total(row))} ${Math.abs(total(row) - 1) < 0.005 ? "✓" : "not 1"}`;
const query = (i) => make("span", { class: "rw-query" }, sub("q", i + 1));
const key = (j) => make("span", { class: "rw-key" }, sub("k", j + 1));
const power = (x) => make("span", {}, "e", make("sup", { text: digits(x, 3) }));

/** A matrix of weights with its row sums at the right and its column sums below. */
function summed(title, about, S, chosen) {
  const table = grid({ label: `${title}, ${about}`, columns: S[0].map((_, j) => key(j)), rows: S.map((_, i) => query(i)), chosen });
  const right = table.cells.map((row) => {
    const sum = make("td", { class: "rw-total" });
    row[0].parentNode.append(sum);
    return sum;
  });
  const below = S[0].map(() => make("td", { class: "rw-total" }));
  const foot = make("tr", {}, make("th", { scope: "row", text: "Σ" }), ...below, make("td"));
  table.body.append(foot);
  table.table.querySelector("thead tr").append(make("td"));
  const panel = make("section", { class: "rw-panel" }, heading(title, about), table.table);
  function draw(W, chosenRow) {
    W.forEach((row, i) => {
      row.forEach((w, j) => fill(table.cells[i][j], digits(w), w));
      right[i].textContent = sumOf(row);
      table.cells[i][0].parentNode.classList.toggle("rw-lit", i === chosenRow);
    });
    transpose(W).forEach((column, j) => (below[j].textContent = digits(total(column))));
  }
  return { panel, draw };
}

/** What is to be said of a row whose exponentials left the range of a float; "" where they did not. */
export function overflow(found, row) {
  if (found.weights.every(Number.isFinite)) return "";
  const worst = Math.max(...found.exponents);
  const cause = found.total === 0
    ? `Every exponential of row ${row + 1} is 0: e^${digits(worst)} is less than a float can hold. The sum is 0, and 0 / 0 is no number.`
    : `Row ${row + 1} has NaN in it. e^${digits(worst)} is more than a float can hold (the end is near e^709), so it becomes ∞, and ∞ / ∞ is no number.`;
  return `${cause} Take the row's own maximum away first: the weights stay the same.`;
}

/** The picture in words, for everyone; a screen reader hears it when the moving has stopped. */
export function sentence(S, row, shift, subtract) {
  const found = steps(S[row], shift, subtract);
  const trouble = overflow(found, row);
  if (trouble) return trouble;
  const weights = found.weights.map((w) => digits(w)).join(", ");
  const start = `Row ${row + 1} has weights ${weights}.`;
  const still = steps(S[row], 0, true).weights;
  const moved = Math.max(...found.weights.map((w, j) => Math.abs(w - still[j])));
  if (shift === 0) return `${start} Their sum is ${digits(total(found.weights))}.`;
  if (moved > 5e-10) return `${start} Adding ${digits(shift)} moved one by ${fine(moved)}: too few digits are left of such scores.`;
  const grown = subtract ? "the maximum grew by as much and was taken away, so that not even the exponentials moved" :
    `each exponential and their sum are e^${digits(shift)} times as large`;
  return `${start} With ${digits(shift)} added to every score of the row, ${grown}; the weights stand still.`;
}

const STEPS = ["score", "+ c", "− maximum", "e to that", "weight"];

/** The chosen row from score to weight, a line a step, and its weights as bars of a fixed scale. */
function ladder(n_k, chosen) {
  const table = grid({
    label: "the chosen row, step by step", columns: Array.from({ length: n_k }, (_, j) => key(j)), rows: STEPS, chosen,
  });
  const totals = table.cells.map((row) => {
    const cell = make("td", { class: "rw-total" });
    row[0].parentNode.append(cell);
    return cell;
  });
  const bars = Array.from({ length: n_k }, () => make("span", { class: "rw-bar" }));
  const under = bars.map((bar) => make("td", {}, bar));
  table.table.querySelector("thead tr").append(make("td"));
  table.body.append(make("tr", { class: "rw-bars", "aria-hidden": "true" }, make("td"), ...under, make("td")));
  const title = heading("Step by step", "");
  function draw(scores, row, shift, found, subtract) {
    title.about.textContent = `row ${row + 1}`;
    const lines = [scores, found.shifted, found.exponents, found.e, found.weights];
    const widest = 2 * Math.max(...lines[0].map(Math.abs), 1e-9) + 2 * Math.abs(shift);
    const tallest = 2 * Math.max(...found.e);
    const levels = [(x) => Math.abs(x) / widest, (x) => Math.abs(x) / widest, (x) => Math.abs(x) / widest, (x) => x / tallest, (x) => x];
    lines.forEach((numbers, i) => numbers.forEach((x, j) => {
      fill(table.cells[i][j], i === 3 ? fine(x) : digits(x), levels[i](x));
    }));
    table.cells[2][0].parentNode.hidden = !subtract;
    totals[3].textContent = `Σ ${fine(found.total)}`;
    totals[4].textContent = sumOf(found.weights);
    bars.forEach((bar, j) => (bar.style.height = `${Math.round(56 * (found.weights[j] || 0))}px`));
  }
  return { panel: make("section", { class: "rw-panel rw-ladder" }, title, table.table), draw };
}

/** The scores as boxes to type in, and a button for each row that shows it in detail. */
function board(S, { typedIn, refused, pick }) {
  const boxes = S.map((row, i) => row.map((score, j) => {
    const one = typed({
      label: `score of query ${i + 1} with key ${j + 1}`, value: score, min: -LIMIT, max: LIMIT,
      moved: (x) => typedIn(i, j, x), refused: (text) => refused(text, i, j),
    });
    one.box.addEventListener("focus", () => pick(i));
    return one;
  }));
  const buttons = S.map((_, i) => {
    const node = button("", () => pick(i));
    node.replaceChildren(query(i));
    node.setAttribute("aria-label", `show row ${i + 1} step by step`);
    return node;
  });
  const lines = S.map((_, i) =>
    make("tr", {}, make("th", { scope: "row" }, buttons[i]), ...boxes[i].map((one) => make("td", {}, one.box))));
  const names = S[0].map((_, j) => make("th", { scope: "col" }, key(j)));
  const table = make("table", { class: "rw-grid" }, make("thead", {}, make("tr", {}, make("td"), ...names)), make("tbody", {}, ...lines));
  function draw(scores, chosen) {
    scores.forEach((row, i) => {
      row.forEach((s, j) => boxes[i][j].set(s));
      lines[i].classList.toggle("rw-lit", i === chosen);
      buttons[i].setAttribute("aria-pressed", String(i === chosen));
    });
  }
  return { panel: make("section", { class: "rw-panel" }, heading("Scores", `S (${S.length}, ${S[0].length})`), table), draw };
}

class SoftmaxFigure {
  constructor(model, el) {
    this.model = model;
    this.first = model.get("S");
    this.told = [STEPS.length - 1, 0]; // the cell whose arithmetic is shown
    this.voice = spoken();
    this.note = make("p", { class: "rw-arithmetic" });
    this.finding = make("p", { class: "rw-finding" });
    this.scores = board(this.first, {
      typedIn: (i, j, x) => this.keep({ S: model.get("S").map((r, a) => r.map((s, b) => (a === i && b === j ? x : s))) }),
      refused: (text, i, j) => this.refuse(text, "the score", model.get("S")[i][j]),
      pick: (row) => this.keep({ row }),
    });
    this.steps = ladder(this.first[0].length, (i, j) => this.tell((this.told = [i, j])));
    this.across = summed("Along each row", "what attention does", this.first, null);
    this.down = summed("Down each column", "the other axis", this.first, null);
    this.root = make("div", { class: "rw-board rw-softmax", role: "group", "aria-label": "Softmax of one row" },
      this.controls(),
      make("div", { class: "rw-body" }, this.scores.panel, this.steps.panel,
        make("div", { class: "rw-axes" }, this.across.panel, this.down.panel)),
      this.note, this.finding, this.voice.node);
    const draw = () => this.draw();
    this.leave = follow(model, { S: draw, row: draw, shift: draw, subtract: draw });
    this.draw();
    el.append(this.root);
  }

  keep(changes) {
    for (const [name, value] of Object.entries(changes)) this.model.set(name, value);
    this.model.save_changes();
  }

  refuse(text, what, stays) {
    this.voice.say(`${text || "An empty box"} is not a number from −1,000,000 to 1,000,000; ${what} stays ${digits(stays)}.`);
  }

  controls() {
    const shift = (c) => this.keep({ shift: c });
    this.slider = slider({
      label: "c, added to each score of the row", min: -10, max: 10, step: 0.5, value: 0, spell: (x) => `c = ${digits(x)}`, moved: shift,
    });
    this.box = typed({
      label: "c, typed", value: 0, min: -LIMIT, max: LIMIT, moved: shift,
      refused: (text) => this.refuse(text, "c", this.model.get("shift")),
    });
    this.subtract = make("input", { type: "checkbox" });
    this.subtract.addEventListener("change", () => this.keep({ subtract: this.subtract.checked }));
    return make("div", { class: "rw-controls" },
      make("label", { class: "rw-control" }, "add c to the row", this.slider.input, this.box.box),
      ...[0, 1000, -1000].map((c) => button(`c = ${digits(c, 0)}`, () => shift(c))),
      make("label", { class: "rw-control" }, this.subtract, "take the row's maximum away first"),
      button("Reset", () => this.keep({ S: this.first, shift: 0, subtract: true })));
  }

  tell([step, j]) {
    const { shifted, largest, exponents, e, total, weights } = this.found;
    const row = this.model.get("row");
    const three = (x) => digits(x, 3);
    const score = three(this.model.get("S")[row][j]);
    const words = [
      () => [`score of query ${row + 1} with key ${j + 1}: ${score}`],
      () => [`${score} + ${three(this.model.get("shift"))} = ${three(shifted[j])}`],
      () => [`${three(shifted[j])} − ${three(largest)} = ${three(shifted[j] - largest)}`],
      () => [power(exponents[j]), ` = ${fine(e[j], 3)}`],
      () => Number.isFinite(weights[j]) ? quotient(exponents, j) :
        [power(exponents[j]), ` / sum = ${three(e[j])} / ${three(total)} = NaN`],
    ][step]();
    this.note.replaceChildren(...words);
  }

  draw() {
    const [S, row, shift, subtract] = ["S", "row", "shift", "subtract"].map((name) => this.model.get(name));
    this.found = steps(S[row], shift, subtract);
    this.scores.draw(S, row);
    this.steps.draw(S[row], row, shift, this.found, subtract);
    const { rows, columns } = both(S);
    this.across.draw(rows, row);
    this.down.draw(columns, row);
    this.slider.set(shift);
    this.box.set(shift);
    this.subtract.checked = subtract;
    const text = sentence(S, row, shift, subtract);
    if (this.finding.textContent !== text) this.voice.say(text);
    this.finding.textContent = text;
    this.tell(this.told);
    this.root.dataset.drawn = `${row} ${shift}`;
  }

  stop() {
    this.voice.stop();
    this.leave();
  }
}

/** e^a / (e^a + e^b) in the digits that are shown, so that a pocket calculator agrees. */
function quotient(exponents, j) {
  const rounded = exponents.map((x) => Number(x.toFixed(3)));
  const e = rounded.map((x) => Number(Math.exp(x).toFixed(3)));
  const all = total(e);
  const sum = rounded.flatMap((x, k) => (k ? [" + ", power(x)] : [power(x)]));
  return [power(rounded[j]), " / (", ...sum, `) = ${digits(e[j], 3)} / ${digits(all, 3)} = ${digits(e[j] / all, 3)}`];
}

function render({ model, el }) {
  const figure = new SoftmaxFigure(model, el);
  return () => figure.stop();
}

export default { render };
