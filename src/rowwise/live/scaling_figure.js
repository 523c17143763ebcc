// What the width d_k does to scores, weights and gradients, from real draws.
//
// The draws come from a seed by arithmetic that Python repeats exactly (scaling_figure.py), so the picture, its text and
// a test can speak of the same numbers. Draw n is a hash of n: any component can be had without those before it.

const ROWS = 250; // queries, each with four keys of its own
const KEYS = 4;
const NORMALS = ROWS * (1 + KEYS); // components drawn for each feature: one of the query, one of each key
const STRIDE = 32; // features between the sums that are kept
export const WIDEST = 1024;

/** Uniform draw n of a seed, strictly between 0 and 1: mulberry32 by Tommy Ettinger (public domain). */
export function uniform(seed, n) {
  let t = (Math.imul(seed, 0x9e3779b9) + Math.imul(n + 1, 0x6d2b79f5)) | 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
}

/** The 1250 components of one feature, normal with mean 0 and variance 1: query, key 1 … 4, next query, … (Box–Muller). */
export function components(seed, feature) {
  const drawn = new Float64Array(NORMALS);
  for (let i = 0; i < NORMALS; i += 2) {
    const n = feature * NORMALS + i;
    const radius = Math.sqrt(-2 * Math.log(uniform(seed, n)));
    const angle = 2 * Math.PI * uniform(seed, n + 1);
    drawn[i] = radius * Math.cos(angle);
    drawn[i + 1] = radius * Math.sin(angle);
  }
  return drawn;
}

/** Sums over the first d_k features, for any d_k up to 1024; a few are kept so that no move waits for all the others. */
export class Draws {
  constructor(seed) {
    this.seed = seed;
    this.kept = [{ qk: new Float64Array(ROWS * KEYS), q: new Float64Array(ROWS), k: new Float64Array(ROWS * KEYS) }];
  }

  sums(d_k) {
    const from = Math.min(Math.floor(d_k / STRIDE), this.kept.length - 1);
    const start = this.kept[from];
    const sum = { qk: start.qk.slice(), q: start.q.slice(), k: start.k.slice() };
    for (let feature = from * STRIDE; feature < d_k; feature++) {
      const drawn = components(this.seed, feature);
      for (let row = 0; row < ROWS; row++) {
        const at = row * (1 + KEYS);
        sum.q[row] += drawn[at];
        for (let key = 0; key < KEYS; key++) {
          sum.k[row * KEYS + key] += drawn[at + 1 + key];
          sum.qk[row * KEYS + key] += drawn[at] * drawn[at + 1 + key];
        }
      }
      if ((feature + 1) % STRIDE === 0 && (feature + 1) / STRIDE === this.kept.length) {
        this.kept.push({ qk: sum.qk.slice(), q: sum.q.slice(), k: sum.k.slice() });
      }
    }
    return sum;
  }

  /** The 1000 scores q·k, row after row, when every component has this mean: Σ (q + m)(k + m). */
  scores(d_k, mean = 0) {
    const { qk, q, k } = this.sums(d_k);
    return Array.from(qk, (s, i) => s + mean * (q[Math.floor(i / KEYS)] + k[i]) + mean * mean * d_k);
  }
}

export function softmax(row) {
  const largest = Math.max(...row);
  const e = row.map((s) => Math.exp(s - largest));
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / total);
}

/** diag(p) − p pᵀ: row i says how weight i answers to each score. */
export function jacobian(p) {
  // p (1 − p) as p times the sum of the others: 1 − p has few digits left when p is nearly 1.
  const own = (i) => p.reduce((sum, b, j) => (j === i ? sum : sum + p[i] * b), 0);
  return p.map((a, i) => p.map((b, j) => (i === j ? own(i) : -a * b)));
}

/** The size of a matrix: the root of the sum of its squares. */
export function norm(matrix) {
  return Math.sqrt(matrix.flat().reduce((sum, x) => sum + x * x, 0));
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Everything the picture shows of these scores, once divided by `divisor`. */
export function summary(scores, divisor) {
  const scaled = scores.map((s) => s / divisor);
  const mean = scaled.reduce((a, b) => a + b, 0) / scaled.length;
  const variance = scaled.reduce((sum, s) => sum + (s - mean) ** 2, 0) / scaled.length;
  const rows = Array.from({ length: ROWS }, (_, r) => scaled.slice(r * KEYS, (r + 1) * KEYS));
  const weights = rows.map(softmax);
  return {
    scores: scaled,
    mean,
    variance,
    rows,
    weights,
    largest: median(weights.map((p) => Math.max(...p))),
    jacobian: median(weights.map((p) => norm(jacobian(p)))),
  };
}

/** {plain, scaled}: the summary without and with the division by √d_k. */
export function compute(draws, d_k, mean = 0) {
  const scores = draws.scores(d_k, mean);
  return { plain: summary(scores, 1), scaled: summary(scores, Math.sqrt(d_k)) };
}

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

function render({ model, el }) {
  let draws = new Draws(model.get("seed"));
  let timer;
  let found;
  let told = ["plain", "weight", 0];
  const state = (name) => model.get(name);
  const keep = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };

  const note = make("p", { class: "rw-arithmetic" });
  const explain = (...cell) => {
    told = cell;
    const [which, kind, i, j] = cell;
    const words = arithmetic(found[which], found.plain, state("d_k"), state("row"), kind, i, j);
    note.replaceChildren(...[words].flat());
  };
  const lanes = { plain: lane("plain", "Without √d_k", explain), scaled: lane("scaled", "With √d_k", explain) };
  const sharp = curves("Largest weight", "typical row, by d_k", 1);
  const slope = curves("Size of diag(p) − p pᵀ", "typical row, by d_k", 0.5);
  const finding = make("p", { class: "rw-finding" });
  const voice = spoken();

  const width = slider({
    label: "d_k, in powers of two", min: 0, max: 10, step: 1, value: Math.log2(state("d_k")),
    spell: (x) => `d_k = ${Math.round(2 ** x)}`,
    moved: (x) => keep("d_k", 2 ** x),
  });
  const box = typed({
    label: "d_k, a whole number from 1 to 1024", value: state("d_k"), min: 1, max: WIDEST, whole: true,
    moved: (x) => keep("d_k", x),
    refused: (text) => voice.say(`${text || "An empty box"} is not a whole number from 1 to 1024; d_k stays ${state("d_k")}.`),
  });
  const mean = choices({
    label: "components have", options: [["0", "mean 0"], ["1", "mean 1"]], value: String(state("mean")),
    chosen: (key) => keep("mean", Number(key)),
  });
  const another = button("Another row", () => keep("row", (state("row") + 1) % ROWS));
  const again = button("Other draws", () => keep("seed", state("seed") + 1));
  const which = make("span", { class: "rw-about" });

  const controls = make("div", { class: "rw-controls" },
    make("label", { class: "rw-control" }, make("span", {}, "d", make("sub", { text: "k" })), width.input, box.box),
    mean.group, another, again, which);
  const root = make("div", { class: "rw-board rw-scaling", role: "group", "aria-label": "What the width d_k does" },
    controls,
    make("div", { class: "rw-body" },
      make("div", { class: "rw-lanes" }, lanes.plain.section, lanes.scaled.section),
      make("div", { class: "rw-side" }, sharp.panel, slope.panel)),
    note, finding, voice.node);

  function draw() {
    const [d_k, m, index] = [state("d_k"), state("mean"), state("row")];
    found = compute(draws, d_k, m);
    const root_d = Math.sqrt(d_k);
    const step = m ? 4 : 2;
    const theory = m ? 3 : 1;
    lanes.plain.draw(found.plain, index, m * d_k, step, `${m ? "3 d_k" : "d_k"} = ${theory * d_k}`);
    lanes.scaled.draw(found.scaled, index, Math.round(m * root_d), step, `${theory} expected`);
    lanes.scaled.name.about.textContent = `every score divided by √${d_k} = ${digits(root_d)}`;
    lanes.plain.name.about.textContent = "scores as they are";
    sharp.mark(d_k, [found.plain.largest, found.scaled.largest]);
    slope.mark(d_k, [found.plain.jacobian, found.scaled.jacobian]);
    width.set(Math.log2(d_k));
    width.input.setAttribute("aria-valuetext", `d_k = ${d_k}`);
    box.set(d_k);
    mean.set(String(m));
    which.textContent = `row ${index + 1} of ${ROWS}, seed ${state("seed")}`;
    const text = sentence(d_k, found);
    finding.textContent = text;
    voice.say(text);
    explain(...told);
    root.dataset.drawn = d_k;
  }
  /** The curves need every width once: drawn after the first picture, so that it does not wait for them. */
  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const all = LEVELS.map((d) => compute(draws, d, state("mean")));
      for (const [panel, part] of [[sharp, "largest"], [slope, "jacobian"]]) {
        panel.line(["plain", "scaled"].map((lane) => all.map((one) => one[lane][part])));
      }
      root.dataset.curves = "drawn";
    }, 30);
  }
  const reseed = () => {
    draws = new Draws(state("seed"));
    draw();
    later();
  };
  const remean = () => {
    draw();
    later();
  };
  const listeners = { "change:d_k": draw, "change:row": draw, "change:mean": remean, "change:seed": reseed };
  for (const [event, run] of Object.entries(listeners)) model.on(event, run);
  draw();
  el.append(root);
  later();
  return () => {
    clearTimeout(timer);
    voice.stop();
    for (const [event, run] of Object.entries(listeners)) model.off(event, run);
  };
}

/** The picture in one sentence; also its text for a screen reader. */
export function sentence(d_k, { plain, scaled }) {
  const deviation = (found) => digits(Math.sqrt(found.variance));
  return `d_k = ${d_k}. Without scaling the scores spread by ${deviation(plain)} to each side, a typical row's largest weight is ` +
    `${digits(plain.largest)}, and its Jacobian has size ${fine(plain.jacobian, 3)}. With √d_k: ${deviation(scaled)}, ` +
    `${digits(scaled.largest)} and ${fine(scaled.jacobian, 3)}.`;
}

export default { render };
