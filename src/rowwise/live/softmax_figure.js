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
const same = (a, b) => Math.abs(a - b) < 0.005;
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
    const total = (numbers) => numbers.reduce((a, b) => a + b, 0);
    W.forEach((row, i) => {
      row.forEach((w, j) => fill(table.cells[i][j], digits(w), w));
      const sum = total(row);
      right[i].textContent = `Σ ${digits(sum)} ${same(sum, 1) ? "✓" : "not 1"}`;
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
  if (shift === 0) return `${start} Their sum is ${digits(found.weights.reduce((a, b) => a + b, 0))}.`;
  if (moved > 5e-10) return `${start} Adding ${digits(shift)} moved one by ${fine(moved)}: too few digits are left of such scores.`;
  const grown = subtract ? "the maximum grew by as much and was taken away, so that not even the exponentials moved" :
    `each exponential and their sum are e^${digits(shift)} times as large`;
  return `${start} With ${digits(shift)} added to every score of the row, ${grown}; the weights stand still.`;
}

function render({ model, el }) {
  const first = model.get("S");
  const n_k = first[0].length;
  const state = (name) => model.get(name);
  const keep = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const voice = spoken();
  const note = make("p", { class: "rw-arithmetic" });
  const finding = make("p", { class: "rw-finding" });
  let found;
  let told = ["weight", 0];

  const shiftSlider = slider({
    label: "c, added to each score of the row", min: -10, max: 10, step: 0.5, value: state("shift"),
    spell: (x) => `c = ${digits(x)}`, moved: (x) => keep("shift", x),
  });
  const refused = (what, from) => (text) =>
    voice.say(`${text || "An empty box"} is not a number from −1,000,000 to 1,000,000; ${what} stays ${digits(from())}.`);
  const shiftBox = typed({
    label: "c, typed", value: state("shift"), min: -LIMIT, max: LIMIT, moved: (x) => keep("shift", x),
    refused: refused("c", () => state("shift")),
  });
  const subtract = make("input", { type: "checkbox" });
  subtract.addEventListener("change", () => keep("subtract", subtract.checked));
  const controls = make("div", { class: "rw-controls" },
    make("label", { class: "rw-control" }, "add c to the row", shiftSlider.input, shiftBox.box),
    ...[0, 1000, -1000].map((c) => button(`c = ${digits(c, 0)}`, () => keep("shift", c))),
    make("label", { class: "rw-control" }, subtract, "take the row's maximum away first"),
    button("Reset", () => {
      keep("S", first);
      keep("shift", 0);
      keep("subtract", true);
    }));

  const boxes = first.map((row, i) => row.map((_, j) => {
    const one = typed({
      label: `score of query ${i + 1} with key ${j + 1}`, value: state("S")[i][j], min: -LIMIT, max: LIMIT,
      moved: (x) => keep("S", state("S").map((r, a) => r.map((s, b) => (a === i && b === j ? x : s)))),
      refused: refused("the score", () => state("S")[i][j]),
    });
    one.box.addEventListener("focus", () => keep("row", i));
    return one;
  }));
  const pick = first.map((_, i) => {
    const node = button("", () => keep("row", i));
    node.replaceChildren(query(i));
    node.setAttribute("aria-label", `show row ${i + 1} step by step`);
    return node;
  });
  const lines = first.map((_, i) => make("tr", {}, make("th", { scope: "row" }, pick[i]), ...boxes[i].map((one) => make("td", {}, one.box))));
  const heads = () => [make("td"), ...Array.from({ length: n_k }, (_, j) => make("th", { scope: "col" }, key(j)))];
  const scores = make("section", { class: "rw-panel" }, heading("Scores", `S (${first.length}, ${n_k})`),
    make("table", { class: "rw-grid" }, make("thead", {}, make("tr", {}, ...heads())), make("tbody", {}, ...lines)));

  const names = ["score", "plus c", "minus the maximum", "exponential", "weight"];
  const explain = (i, j) => {
    told = [names[i], j];
    tell();
  };
  const ladder = grid({ label: "the chosen row, step by step", columns: Array.from({ length: n_k }, (_, j) => key(j)),
    rows: ["score", "+ c", "− maximum", "e to that", "weight"], chosen: explain });
  const totals = ladder.cells.map((row) => {
    const cell = make("td", { class: "rw-total" });
    row[0].parentNode.append(cell);
    return cell;
  });
  ladder.table.querySelector("thead tr").append(make("td"));
  const bars = Array.from({ length: n_k }, () => make("span", { class: "rw-bar" }));
  ladder.body.append(make("tr", { class: "rw-bars", "aria-hidden": "true" }, make("td"), ...bars.map((bar) => make("td", {}, bar)), make("td")));
  const title = heading("Step by step", "");
  const one = make("section", { class: "rw-panel rw-ladder" }, title, ladder.table);

  const across = summed("Along each row", "what attention does", first, null);
  const down = summed("Down each column", "the other axis", first, null);
  const root = make("div", { class: "rw-board rw-softmax", role: "group", "aria-label": "Softmax of one row" }, controls,
    make("div", { class: "rw-body" }, scores, one, make("div", { class: "rw-axes" }, across.panel, down.panel)), note, finding, voice.node);

  function tell() {
    const [kind, j] = told;
    const { shifted, largest, exponents, e, total, weights } = found;
    const s = digits(state("S")[state("row")][j], 3);
    const words = {
      score: [`score of query ${state("row") + 1} with key ${j + 1}: ${s}`],
      "plus c": [`${s} + ${digits(state("shift"), 3)} = ${digits(shifted[j], 3)}`],
      "minus the maximum": [`${digits(shifted[j], 3)} − ${digits(largest, 3)} = ${digits(shifted[j] - largest, 3)}`],
      exponential: [power(exponents[j]), ` = ${fine(e[j], 3)}`],
      weight: quotient(exponents, j),
    }[kind];
    note.replaceChildren(...words);
    if (kind === "weight" && !Number.isFinite(weights[j])) note.replaceChildren(power(exponents[j]), ` / sum = ${digits(e[j], 3)} / ${digits(total, 3)} = ${digits(weights[j])}`);
  }
  function draw() {
    const [S, row, shift] = [state("S"), state("row"), state("shift")];
    found = steps(S[row], shift, state("subtract"));
    const size = Math.max(...S.flat().map(Math.abs), 1e-9);
    S.forEach((scoresOfRow, i) => {
      scoresOfRow.forEach((s, j) => boxes[i][j].set(s));
      lines[i].classList.toggle("rw-lit", i === row);
      pick[i].setAttribute("aria-pressed", String(i === row));
    });
    title.about.textContent = `row ${row + 1}`;
    const rows = [S[row], found.shifted, found.exponents, found.e, found.weights];
    rows.forEach((numbers, i) => numbers.forEach((x, j) => {
      const level = i === 4 ? x : i === 3 ? x / Math.max(...found.e) / 2 : Math.abs(x) / (2 * size + 2 * Math.abs(shift));
      fill(ladder.cells[i][j], i === 3 ? fine(x) : digits(x), level);
    }));
    ladder.cells[2][0].parentNode.hidden = !state("subtract");
    totals[3].textContent = `Σ ${fine(found.total)}`;
    const sum = found.weights.reduce((a, b) => a + b, 0);
    totals[4].textContent = `Σ ${digits(sum)} ${same(sum, 1) ? "✓" : "not 1"}`;
    bars.forEach((bar, j) => (bar.style.height = `${Math.round(56 * (found.weights[j] || 0))}px`));
    const { rows: W, columns } = both(S);
    across.draw(W, row);
    down.draw(columns, row);
    shiftSlider.set(shift);
    shiftBox.set(shift);
    subtract.checked = state("subtract");
    const text = sentence(S, row, shift, state("subtract"));
    if (finding.textContent !== text) voice.say(text);
    finding.textContent = text;
    tell();
    root.dataset.drawn = `${row} ${shift}`;
  }
  const events = ["change:S", "change:row", "change:shift", "change:subtract"];
  for (const event of events) model.on(event, draw);
  draw();
  el.append(root);
  return () => {
    voice.stop();
    for (const event of events) model.off(event, draw);
  };
}

/** e^a / (e^a + e^b) in the digits that are shown, so that a pocket calculator agrees. */
function quotient(exponents, j) {
  const rounded = exponents.map((x) => Number(x.toFixed(3)));
  const e = rounded.map((x) => Number(Math.exp(x).toFixed(3)));
  const total = e.reduce((a, b) => a + b, 0);
  const sum = rounded.flatMap((x, k) => (k ? [" + ", power(x)] : [power(x)]));
  return [power(rounded[j]), " / (", ...sum, `) = ${digits(e[j], 3)} / ${digits(total, 3)} = ${digits(e[j] / total, 3)}`];
}

export default { render };
