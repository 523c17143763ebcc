// The picture of live.scaling: without √d_k above, with it below, and curves over every width at the side.

const BINS = 121;
const LEVELS = Array.from({ length: 11 }, (_, i) => 2 ** i);

/** The histogram of 1000 numbers around a centre, with a line from one standard deviation below the mean to one above. */
function histogram(label) {
  const bars = make("path", { class: "rw-bars" });
  const spread = make("line", { class: "rw-spread", y1: 104, y2: 104 });
  const picture = make("svg", { viewBox: "0 0 121 108", preserveAspectRatio: "none", class: "rw-plot", role: "img" }, bars, spread);
  const ticks = make("div", { class: "rw-ticks", "aria-hidden": "true" });
  const caption = make("p", { class: "rw-caption" });
  const panel = make("div", { class: "rw-panel rw-histogram" }, caption, picture, ticks);
  function draw(found, centre, width, theory) {
    const counts = new Array(BINS).fill(0);
    for (const s of found.scores) counts[Math.max(0, Math.min(BINS - 1, Math.round((s - centre) / width) + 60))]++;
    const tallest = Math.max(...counts);
    const tops = counts.map((c, i) => `${i} ${100 - (98 * c) / tallest}h1`).join("L");
    bars.setAttribute("d", `M0 100L${tops}L121 100Z`);
    const deviation = Math.sqrt(found.variance);
    const at = (s) => 60.5 + (s - centre) / width;
    spread.setAttribute("x1", at(found.mean - deviation));
    spread.setAttribute("x2", at(found.mean + deviation));
    ticks.replaceChildren(...[-50, -25, 0, 25, 50].map((i) => {
      const tick = make("span", { text: digits(centre + i * width, 0) });
      tick.style.left = `${(100 * (60.5 + i)) / 121}%`;
      return tick;
    }));
    caption.replaceChildren("variance ", make("b", { text: digits(found.variance) }), ` (${theory})`);
    picture.setAttribute("aria-label", `${label}: mean ${digits(found.mean)}, standard deviation ${digits(deviation)}`);
  }
  return { panel, draw };
}

/** Two lines over d_k from 1 to 1024, without and with the division, and a dot on each where the slider stands. */
function curves(title, about, top) {
  const lines = ["plain", "scaled"].map((which) => make("path", { class: `rw-curve rw-${which}`, fill: "none" }));
  const picture = make("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", class: "rw-plot", "aria-hidden": "true" }, ...lines);
  const dots = ["plain", "scaled"].map((which) => make("span", { class: `rw-dot rw-${which}` }));
  const ends = ["without", "with"].map((text) => make("span", { class: "rw-end", text }));
  const frame = make("div", { class: "rw-frame" }, picture, ...dots, ...ends);
  const high = make("span", { class: "rw-high", text: digits(top, top === 1 ? 0 : 1) });
  frame.append(high, make("span", { class: "rw-low", text: "0" }));
  const ticks = make("div", { class: "rw-ticks", "aria-hidden": "true" });
  for (const d of [1, 4, 16, 64, 256, 1024]) {
    const tick = make("span", { text: d });
    tick.style.left = `${10 * Math.log2(d)}%`;
    ticks.append(tick);
  }
  const panel = make("div", { class: "rw-panel rw-curves" }, heading(title, about), frame, ticks);
  const y = (value) => 100 - (100 * value) / top;
  function line(points) {
    points.forEach((series, which) => {
      lines[which].setAttribute("d", "M" + series.map((value, i) => `${10 * i} ${y(value)}`).join("L"));
      ends[which].style.top = `${Math.min(93, y(series.at(-1)))}%`;
    });
  }
  function mark(d_k, values) {
    values.forEach((value, which) => {
      dots[which].style.left = `${10 * Math.log2(d_k)}%`;
      dots[which].style.top = `${y(value)}%`;
    });
  }
  return { panel, line, mark };
}

/** One row of four keys and its Jacobian, as tables whose cells tell their arithmetic. */
function lane(which, title, explain) {
  const names = [1, 2, 3, 4];
  const keys = names.map((j) => make("span", { class: "rw-key" }, sub("k", j)));
  const spread = histogram(which === "plain" ? "Scores" : "Scaled scores");
  const row = grid({
    label: `${title}: one row`,
    columns: keys,
    rows: [which === "plain" ? "score" : "scaled", "weight"],
    chosen: (i, j) => explain(which, i ? "weight" : "score", j),
  });
  const total = make("p", { class: "rw-sum" });
  const answers = grid({
    label: `${title}: Jacobian, row i how weight i answers to each score`,
    columns: names.map((j) => sub("s", j)),
    rows: names.map((j) => sub("p", j)),
    chosen: (i, j) => explain(which, "jacobian", i, j),
  });
  const size = make("p", { class: "rw-caption" });
  const name = heading(title, "");
  const weights = make("div", { class: "rw-panel" }, make("p", { class: "rw-caption", text: "softmax of one row" }), row.table, total);
  const slopes = make("div", { class: "rw-panel" }, size, answers.table);
  const section = make("section", { class: "rw-lane" }, name, make("div", { class: "rw-stages" }, spread.panel, make("div", { class: "rw-pair" }, weights, slopes)));
  function draw(found, index, centre, width, theory) {
    spread.draw(found, centre, width, theory);
    const largest = Math.max(...found.rows[index].map(Math.abs));
    const p = found.weights[index];
    found.rows[index].forEach((s, j) => fill(row.cells[0][j], digits(s), (0.5 * Math.abs(s)) / largest));
    p.forEach((w, j) => fill(row.cells[1][j], digits(w), w));
    total.textContent = `Σ ${digits(p.reduce((a, b) => a + b, 0))} ✓`;
    const J = jacobian(p);
    J.forEach((line, i) => line.forEach((x, j) => fill(answers.cells[i][j], digits(x), 2 * Math.abs(x))));
    size.replaceChildren("size of diag(p) − p pᵀ: ", make("b", { text: fine(norm(J), 3) }));
  }
  return { section, name, draw };
}

/** The arithmetic of one cell, from the digits that are shown, so that a pocket calculator agrees. */
function arithmetic(found, plain, d_k, index, kind, i, j) {
  const name = (k) => `k${"₁₂₃₄"[k]}`;
  if (kind === "score") {
    const products = `q·${name(i)}, a sum of ${d_k} product${d_k > 1 ? "s" : ""}: ${digits(plain.rows[index][i], 3)}`;
    if (found === plain) return products;
    const root = Math.sqrt(d_k).toFixed(3);
    const quotient = Number(plain.rows[index][i].toFixed(3)) / Number(root);
    return `${products} / √${d_k} = ${digits(plain.rows[index][i], 3)} / ${root} = ${digits(quotient, 3)}`;
  }
  const p = found.weights[index];
  if (kind === "jacobian") {
    const [a, b] = [Number(p[i].toFixed(3)), Number(p[j].toFixed(3))];
    if (i === j) return `p${i + 1} (1 − p${i + 1}) = ${digits(a, 3)} · (1 − ${digits(a, 3)}) = ${digits(a * (1 - a), 3)}`;
    return `−p${i + 1} p${j + 1} = −${digits(a, 3)} · ${digits(b, 3)} = ${digits(-a * b, 3)}`;
  }
  const largest = Math.max(...found.rows[index]);
  const exponents = found.rows[index].map((s) => Number((s - largest).toFixed(3)));
  const e = exponents.map((x) => Number(Math.exp(x).toFixed(3)));
  const total = e.reduce((a, b) => a + b, 0);
  const power = (x) => make("span", {}, "e", make("sup", { text: digits(x, 3) }));
  const sum = exponents.flatMap((x, k) => (k ? [" + ", power(x)] : [power(x)]));
  return [power(exponents[i]), " / (", ...sum, `) = ${digits(e[i], 3)} / ${digits(total, 3)} = ${digits(e[i] / total, 3)}`,
    ", the row's largest score taken away first"];
}

class ScalingFigure {
  constructor(model, el) {
    this.model = model;
    this.draws = new Draws(model.get("seed"));
    this.told = ["plain", "weight", 0]; // the cell whose arithmetic is shown
    this.note = make("p", { class: "rw-arithmetic" });
    this.finding = make("p", { class: "rw-finding" });
    this.voice = spoken();
    const explain = (...cell) => this.explain(cell);
    this.lanes = { plain: lane("plain", "Without √d_k", explain), scaled: lane("scaled", "With √d_k", explain) };
    this.curves = {
      largest: curves("Largest weight", "typical row, by d_k", 1),
      jacobian: curves("Size of diag(p) − p pᵀ", "typical row, by d_k", 0.5),
    };
    this.root = make("div", { class: "rw-board rw-scaling", role: "group", "aria-label": "What the width d_k does" },
      this.controls(),
      make("div", { class: "rw-body" },
        make("div", { class: "rw-lanes" }, this.lanes.plain.section, this.lanes.scaled.section),
        make("div", { class: "rw-side" }, this.curves.largest.panel, this.curves.jacobian.panel)),
      this.note, this.finding, this.voice.node);
    this.leave = follow(model, {
      d_k: () => this.draw(),
      row: () => this.draw(),
      mean: () => this.drawAll(),
      seed: () => {
        this.draws = new Draws(model.get("seed"));
        this.drawAll();
      },
    });
    this.drawAll();
    el.append(this.root);
  }

  keep(name, value) {
    this.model.set(name, value);
    this.model.save_changes();
  }

  controls() {
    const state = (name) => this.model.get(name);
    this.slider = slider({
      label: "d_k, in powers of two", min: 0, max: 10, step: 1, value: Math.log2(state("d_k")),
      spell: (x) => `d_k = ${Math.round(2 ** x)}`,
      moved: (x) => this.keep("d_k", 2 ** x),
    });
    this.box = typed({
      label: "d_k, a whole number from 1 to 1024", value: state("d_k"), min: 1, max: WIDEST, whole: true,
      moved: (x) => this.keep("d_k", x),
      refused: (text) => this.voice.say(`${text || "An empty box"} is not a whole number from 1 to 1024; d_k stays ${state("d_k")}.`),
    });
    this.mean = choices({
      label: "components have", options: [["0", "mean 0"], ["1", "mean 1"]], value: String(state("mean")),
      chosen: (key) => this.keep("mean", Number(key)),
    });
    this.which = make("span", { class: "rw-about" });
    return make("div", { class: "rw-controls" },
      make("label", { class: "rw-control" }, sub("d", "k"), this.slider.input, this.box.box), this.mean.group,
      button("Another row", () => this.keep("row", (state("row") + 1) % ROWS)),
      button("Other draws", () => this.keep("seed", (state("seed") + 1) % 2 ** 32)), this.which);
  }

  explain(cell) {
    this.told = cell;
    const [which, kind, i, j] = cell;
    const words = arithmetic(this.found[which], this.found.plain, this.model.get("d_k"), this.model.get("row"), kind, i, j);
    this.note.replaceChildren(...[words].flat());
  }

  draw() {
    const [d_k, mean, row] = ["d_k", "mean", "row"].map((name) => this.model.get(name));
    const [root, binWidth, factor] = [Math.sqrt(d_k), mean ? 4 : 2, mean ? 3 : 1];
    const { plain, scaled } = (this.found = compute(this.draws, d_k, mean));
    this.lanes.plain.draw(plain, row, mean * d_k, binWidth, `${mean ? "3 d_k" : "d_k"} = ${factor * d_k}`);
    this.lanes.scaled.draw(scaled, row, Math.round(mean * root), binWidth, `${factor} expected`);
    this.lanes.plain.name.about.textContent = "scores as they are";
    this.lanes.scaled.name.about.textContent = `every score divided by √${d_k} = ${digits(root)}`;
    for (const [part, panel] of Object.entries(this.curves)) panel.mark(d_k, [plain[part], scaled[part]]);
    this.slider.set(Math.log2(d_k));
    this.slider.input.setAttribute("aria-valuetext", `d_k = ${d_k}`);
    this.box.set(d_k);
    this.mean.set(String(mean));
    this.which.textContent = `row ${row + 1} of ${ROWS}, seed ${this.model.get("seed")}`;
    const text = sentence(d_k, this.found);
    this.finding.textContent = text;
    this.voice.say(text);
    this.explain(this.told);
    this.root.dataset.drawn = d_k;
  }

  /** The curves need every width once: drawn after the picture, a width at a time, so that nothing waits for them. */
  drawAll() {
    this.draw();
    clearTimeout(this.timer);
    const all = [];
    const next = () => {
      if (all.length < LEVELS.length) {
        all.push(compute(this.draws, LEVELS[all.length], this.model.get("mean")));
        this.timer = setTimeout(next, 5);
        return;
      }
      for (const [part, panel] of Object.entries(this.curves)) {
        panel.line(["plain", "scaled"].map((which) => all.map((one) => one[which][part])));
      }
    };
    this.timer = setTimeout(next, 30);
  }

  stop() {
    clearTimeout(this.timer);
    this.voice.stop();
    this.leave();
  }
}

/** The picture in one sentence; also its text for a screen reader. */
export function sentence(d_k, { plain, scaled }) {
  const deviation = (found) => digits(Math.sqrt(found.variance));
  return `d_k = ${d_k}. Without scaling the scores spread by ${deviation(plain)} to each side, a typical row's largest weight is ` +
    `${digits(plain.largest)}, and its Jacobian has size ${fine(plain.jacobian, 3)}. With √d_k: ${deviation(scaled)}, ` +
    `${digits(scaled.largest)} and ${fine(scaled.jacobian, 3)}.`;
}

function render({ model, el }) {
  const figure = new ScalingFigure(model, el);
  return () => figure.stop();
}

export default { render };
