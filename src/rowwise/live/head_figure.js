// One head of a trained model: its weights, the same times the norms of its values, and what editing one cell does.

export function norm(v) {
  return Math.hypot(...v);
}

/** The weighted sum of the values. */
export function mix(weights, V) {
  return V[0].map((_, c) => weights.reduce((sum, w, j) => sum + w * V[j][c], 0));
}

/** weight × norm of the value, cell by cell: how much of each output row can come from each key at most. */
export function weightTimesNorm(P, V) {
  const norms = V.map(norm);
  return P.map((row) => row.map((p, j) => p * norms[j]));
}

/** The weights with one key excluded and the others scaled up to a sum of 1; zeros where nothing is left. */
export function without(weights, key) {
  const rest = weights.reduce((sum, w, j) => (j === key ? sum : sum + w), 0);
  return weights.map((w, j) => (j === key || rest === 0 ? 0 : w / rest));
}

/** What takes the place of the key's value: r in o′ − o = p (r − v_k). `donor` holds the other sentence's values. */
export function standIn(how, weights, V, key, donor) {
  if (how === "zero") return V[key].map(() => 0);
  if (how === "mean") return V[0].map((_, c) => V.reduce((sum, v) => sum + v[c], 0) / V.length);
  if (how === "swap") return donor[key];
  return mix(without(weights, key), V);
}

/** One edit of one cell: the row of weights after it, the sizes ‖o‖, ‖r − v_k‖ and ‖o′ − o‖, and ‖o′ − o‖ / ‖o‖. */
export function edit(P, V, query, key, how, donor) {
  const r = standIn(how, P[query], V, key, donor);
  const size = norm(mix(P[query], V));
  const gap = norm(r.map((x, c) => x - V[key][c]));
  const moved = P[query][key] * gap;
  const weights = how === "mask" ? without(P[query], key) : P[query];
  return { weights, size, gap, moved, change: moved / size };
}

export function kind(token) {
  if (token.startsWith("[")) return "special token";
  return /^[\p{L}\p{N}]+$/u.test(token) ? "word" : "punctuation mark";
}

/** The other keys of the same kind, to compare an edit with. */
export function controls(tokens, key) {
  return tokens.map((_, j) => j).filter((j) => j !== key && kind(tokens[j]) === kind(tokens[key]));
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

const HOWS = {
  zero: ["zero", "that value set to zero"],
  mean: ["mean", "that value replaced by the mean of the values"],
  swap: ["swap", "that value swapped for the one in the other sentence"],
  mask: ["mask", "that key masked and the other weights scaled up"],
};
const FIXED = ["sub-layer", "layer", "sentence"];

/** Three significant digits, and a power of ten for what is very small. */
function short(x) {
  if (x === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(x)));
  return size < -4 ? x.toExponential(1).replace("-", "−") : digits(x, Math.max(0, Math.min(5, 2 - size)));
}

/** Everything the figure says of one cell: the edit, the same edit of each control, and their medians. */
export function compare({ tokens, P, V, donor, effects }, query, key, how) {
  const mine = edit(P, V, query, key, how, donor);
  const others = controls(tokens, key);
  const changes = others.map((other) => edit(P, V, query, other, how, donor).change);
  const middle = median(changes);
  const typical = others[changes.findIndex((c) => c === [...changes].sort((a, b) => a - b)[(changes.length - 1) >> 1])];
  const measured = FIXED.map((_, scope) => ({
    mine: effects[how][scope][query][key],
    control: others.length ? median(others.map((other) => effects[how][scope][query][other])) : null,
  }));
  return { mine, others, control: others.length ? middle : null, typical, measured };
}

/** A table of one number for each query and key, tokens along both sides. */
function map(title, about, tokens, choose) {
  const columns = tokens.map((token) => make("span", { class: "rw-key rw-upright", text: token }));
  const rows = tokens.map((token) => make("span", { class: "rw-query", text: token }));
  const table = grid({ label: `${title}: one row a query, keys across`, columns, rows, chosen: choose, hover: false });
  const name = heading(title, about);
  return { panel: make("section", { class: "rw-panel" }, name, table.table), ...table };
}

/** The 32 numbers of an output row as bars, and as an outline what they become. */
function bars(label) {
  const before = make("path", { class: "rw-before" });
  const after = make("path", { class: "rw-after", fill: "none" });
  const line = make("line", { class: "rw-zero", x1: 0, x2: 32, y1: 50, y2: 50 });
  const picture = make("svg", { viewBox: "0 0 32 100", preserveAspectRatio: "none", class: "rw-strip", role: "img" }, before, line, after);
  const caption = make("p", { class: "rw-caption" });
  function draw(from, to, text) {
    const top = Math.max(...from.map(Math.abs), ...to.map(Math.abs), 1e-9);
    const y = (x) => 50 - (46 * x) / top;
    before.setAttribute("d", from.map((x, i) => `M${i + 0.1} 50V${y(x)}H${i + 0.9}V50Z`).join(""));
    after.setAttribute("d", to.map((x, i) => `${i ? "V" : "M0 "}${y(x)}H${i + 1}`).join(""));
    caption.textContent = text;
    picture.setAttribute("aria-label", `${label}: ${text}`);
  }
  return { panel: make("div", { class: "rw-panel" }, caption, picture), draw };
}

function render({ model, el }) {
  const state = (name) => model.get(name);
  const keep = (changes) => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  };
  const data = state("data");
  const voice = spoken();
  const finding = make("p", { class: "rw-finding" });
  const note = make("p", { class: "rw-arithmetic" });
  const maps = make("div", { class: "rw-maps" });
  let shown = {};

  const menu = (label, options, name, chosen) => {
    const select = make("select", { class: "rw-select", "aria-label": label }, ...options.map(([value, text]) => make("option", { value, text })));
    select.addEventListener("change", () => chosen(select.value));
    return { control: make("label", { class: "rw-control" }, label, select), select };
  };
  const sentences = menu("sentence", data.sentences.map((text, i) => [i, text]), "sentence",
    (value) => keep({ sentence: Number(value), ...first(state("head"), Number(value)) }));
  const heads = menu("head", data.heads.map((name) => [name, spell(name)]), "head",
    (value) => keep({ head: value, ...first(value, state("sentence")) }));
  const how = choices({ label: "edit", options: Object.entries(HOWS).map(([key, [word]]) => [key, word]), value: state("how"),
    chosen: (key) => keep({ how: key }) });
  const controlsBar = make("div", { class: "rw-controls" }, sentences.control, heads.control, how.group);

  const result = grid({ label: "relative change", columns: ["this edit", "control"],
    rows: ["row of the head", "row of the sub-layer", "row of the layer", "sentence"], hover: false });
  const about = make("p", { class: "rw-caption" });
  const [edited, control] = [bars("the head's row"), bars("the head's row, control")];
  const outcome = make("section", { class: "rw-panel rw-outcome" }, heading("How far the row moves", ""), about, result.table,
    make("p", { class: "rw-caption", text: "first line computed here, the others measured beforehand with the whole model; the last is a cosine distance" }),
    edited.panel, control.panel);
  const root = make("div", { class: "rw-board rw-head", role: "group", "aria-label": "One head of a trained model" },
    controlsBar, make("div", { class: "rw-body" }, maps, outcome), note, finding, voice.node);

  /** The brightest cell of a map off the special tokens: where a new map starts. */
  function first(head, sentence) {
    const { tokens, P } = data.maps[head][sentence];
    const cells = tokens.flatMap((_, q) => tokens.map((__, k) => [q, k]));
    const words = cells.filter(([q, k]) => kind(tokens[q]) === "word" && kind(tokens[k]) === "word");
    const [query, key] = words.reduce((best, cell) => (P[cell[0]][cell[1]] > P[best[0]][best[1]] ? cell : best));
    return { query, key };
  }
  function lay(it) {
    const choose = (query, key) => {
      if (query !== state("query") || key !== state("key")) keep({ query, key });
    };
    const where = `${spell(state("head"))}, counted from 0`;
    const plain = map("Attention weight", where, it.tokens, choose);
    const weighted = map("Weight × norm of the value", "how much can come from each key", it.tokens, choose);
    const norms = it.V.map(norm);
    weighted.body.append(make("tr", {}, make("th", { scope: "row", text: "‖v‖" }), ...norms.map((x) => make("td", { class: "rw-norm", text: digits(x) }))));
    const products = weightTimesNorm(it.P, it.V);
    const largest = Math.max(...products.flat());
    it.P.forEach((row, q) => row.forEach((p, k) => {
      fill(plain.cells[q][k], digits(p), p);
      fill(weighted.cells[q][k], digits(products[q][k]), products[q][k] / largest);
    }));
    maps.replaceChildren(plain.panel, weighted.panel);
    shown = { it, plain, weighted };
  }
  function draw() {
    const it = data.maps[state("head")][state("sentence")];
    if (shown.it !== it) lay(it);
    const { tokens, P, V, donor } = it;
    how.inputs[2].disabled = !donor;
    const way = state("how") === "swap" && !donor ? "zero" : state("how");
    const [query, key] = [Math.min(state("query"), tokens.length - 1), Math.min(state("key"), tokens.length - 1)];
    const found = compare(it, query, key, way);
    for (const table of [shown.plain, shown.weighted]) {
      table.cells.forEach((row, q) => {
        row[0].parentNode.classList.toggle("rw-lit", q === query);
        row.forEach((cell, k) => {
          cell.setAttribute("aria-selected", String(q === query && k === key));
          cell.tabIndex = q === query && k === key ? 0 : -1;
        });
      });
    }
    sentences.select.value = state("sentence");
    heads.select.value = state("head");
    how.set(way);
    const pair = `${tokens[query]} → ${tokens[key]}`;
    const sort = kind(tokens[key]);
    const against = found.others.length
      ? `control: the same edit of the other ${sort}${found.others.length > 1 ? `s (median of ${found.others.length})` : ""} in this row`
      : `control: none, for there is no other ${sort} in the sentence`;
    about.textContent = `${pair}; ${against}`;
    const lines = [{ mine: found.mine.change, control: found.control }, ...found.measured];
    lines.forEach(({ mine, control: other }, i) => {
      fill(result.cells[i][0], short(mine), 0);
      fill(result.cells[i][1], other === null ? "none" : short(other), 0);
    });
    const output = mix(P[query], V);
    const after = (k) => {
      const r = standIn(way, P[query], V, k, donor);
      return output.map((x, c) => x + P[query][k] * (r[c] - V[k][c]));
    };
    edited.draw(output, after(key), `the row's 32 numbers, outlined after the edit of ${tokens[key]}`);
    control.panel.hidden = !found.others.length;
    if (found.others.length) control.draw(output, after(found.typical), `the same, outlined after the edit of ${tokens[found.typical]}`);
    note.replaceChildren(...formula(P[query][key], found.mine, way));
    const text = sentence(it, state("head"), query, key, way, found);
    if (finding.textContent !== text) voice.say(text);
    finding.textContent = text;
    root.dataset.drawn = `${query} ${key} ${way}`;
  }
  const events = ["sentence", "head", "query", "key", "how"].map((name) => `change:${name}`);
  for (const event of events) model.on(event, draw);
  draw();
  el.append(root);
  return () => {
    voice.stop();
    for (const event of events) model.off(event, draw);
  };
}

/** "L2H1" in words. */
export function spell(name) {
  const [layer, head] = name.slice(1).split("H");
  return `layer ${layer}, head ${head}`;
}

/** o′ − o = p (r − v_k) with this cell's numbers, in the digits that are shown. */
function formula(p, mine, how) {
  const [weight, gap, size] = [p, mine.gap, mine.size].map((x) => Number(x.toFixed(4)));
  const moved = Number((weight * gap).toFixed(4));
  const r = { zero: "r = 0", mean: "r is the mean of the values", swap: "r is the other sentence's value", mask: "r is the output of the other keys alone" }[how];
  return [`o′ − o = p (r − v), ${r}: ‖o′ − o‖ = ${digits(weight, 4)} · ${digits(gap, 4)} = ${digits(moved, 4)}; divided by ‖o‖ = ${digits(size, 4)}: `,
    make("b", { text: short(moved / size) })];
}

/** The picture in words. */
export function sentence({ tokens, P, V }, head, query, key, how, found) {
  const [, done] = HOWS[how];
  const control = found.control === null ? "There is no other of its kind to compare with." :
    `The same edit of another ${kind(tokens[key])} in the row moves it by ${short(found.control)}.`;
  return `In ${spell(head)}, “${tokens[query]}” gives “${tokens[key]}” a weight of ${digits(P[query][key])}; its value has norm ` +
    `${digits(norm(V[key]))}. With ${done}, the head's row for “${tokens[query]}” moves by ${short(found.mine.change)} of its length. ${control}`;
}

export default { render };
