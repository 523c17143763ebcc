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

/** A labelled menu of [value, text] pairs. */
function menu(label, options, chosen) {
  const entries = options.map(([value, text]) => make("option", { value, text }));
  const select = make("select", { class: "rw-select", "aria-label": label }, ...entries);
  select.addEventListener("change", () => chosen(select.value));
  return { control: make("label", { class: "rw-control" }, label, select), select };
}

/** Both maps of one head on one sentence; `choose(query, key)` is told of a click or the arrow keys. */
function maps({ tokens, P, V }, head, choose) {
  const weights = map("Attention weight", `${spell(head)}, counted from 0`, tokens, choose);
  const products = map("Weight × norm of the value", "how much can come from each key", tokens, choose);
  const values = V.map((v) => make("td", { class: "rw-norm", text: digits(norm(v)) }));
  products.body.append(make("tr", {}, make("th", { scope: "row", text: "‖v‖" }), ...values));
  const weighted = weightTimesNorm(P, V);
  const largest = Math.max(...weighted.flat());
  P.forEach((row, q) => row.forEach((p, k) => {
    fill(weights.cells[q][k], digits(p), p);
    fill(products.cells[q][k], digits(weighted[q][k]), weighted[q][k] / largest);
  }));
  function light(query, key) {
    for (const { cells } of [weights, products]) {
      cells.forEach((row, q) => {
        row[0].parentNode.classList.toggle("rw-lit", q === query);
        row.forEach((cell, k) => {
          cell.setAttribute("aria-selected", String(q === query && k === key));
          cell.tabIndex = q === query && k === key ? 0 : -1;
        });
      });
    }
  }
  return { panels: [weights.panel, products.panel], light };
}

/** What the edit does, scope by scope, beside its control; and the head's row before and after. */
function outcome() {
  const table = grid({ label: "relative change", columns: ["this edit", "control"], hover: false,
    rows: ["row of the head", "row of the sub-layer", "row of the layer", "sentence"] });
  const about = make("p", { class: "rw-caption" });
  const scopes = "first line computed here, the others measured beforehand with the whole model; the last is a cosine distance";
  const [mine, control] = [bars("the head's row"), bars("the head's row, control")];
  const panel = make("section", { class: "rw-panel rw-outcome" }, heading("How far the row moves", ""), about, table.table,
    make("p", { class: "rw-caption", text: scopes }), mine.panel, control.panel);
  function draw({ tokens, P, V, donor }, query, key, how, found) {
    const sort = kind(tokens[key]);
    const many = found.others.length > 1 ? `s (median of ${found.others.length})` : "";
    about.textContent = `${tokens[query]} → ${tokens[key]}; ` + (found.others.length
      ? `control: the same edit of the other ${sort}${many} in this row`
      : `control: none, for there is no other ${sort} in the sentence`);
    [{ mine: found.mine.change, control: found.control }, ...found.measured].forEach((line, i) => {
      fill(table.cells[i][0], short(line.mine), 0);
      fill(table.cells[i][1], line.control === null ? "none" : short(line.control), 0);
    });
    const before = mix(P[query], V);
    const after = (k) => {
      const r = standIn(how, P[query], V, k, donor);
      return before.map((x, c) => x + P[query][k] * (r[c] - V[k][c]));
    };
    mine.draw(before, after(key), `the row's ${before.length} numbers, outlined after the edit of ${tokens[key]}`);
    control.panel.hidden = !found.others.length;
    if (found.others.length) control.draw(before, after(found.typical), `the same, outlined after the edit of ${tokens[found.typical]}`);
  }
  return { panel, draw };
}

/** The brightest cell between two words: where a new map starts. */
export function brightest({ tokens, P }) {
  const words = tokens.flatMap((token, i) => (kind(token) === "word" ? [i] : []));
  const cells = words.flatMap((query) => words.map((key) => ({ query, key })));
  return cells.reduce((best, cell) => (P[cell.query][cell.key] > P[best.query][best.key] ? cell : best));
}

class HeadFigure {
  constructor(model, el) {
    this.model = model;
    this.data = model.get("data");
    this.voice = spoken();
    this.finding = make("p", { class: "rw-finding" });
    this.note = make("p", { class: "rw-arithmetic" });
    this.place = make("div", { class: "rw-maps" });
    this.outcome = outcome();
    this.root = make("div", { class: "rw-board rw-head", role: "group", "aria-label": "One head of a trained model" },
      this.controls(), make("div", { class: "rw-body" }, this.place, this.outcome.panel), this.note, this.finding, this.voice.node);
    const draw = () => this.draw();
    this.leave = follow(model, { sentence: draw, head: draw, query: draw, key: draw, how: draw });
    this.draw();
    el.append(this.root);
  }

  keep(changes) {
    for (const [name, value] of Object.entries(changes)) this.model.set(name, value);
    this.model.save_changes();
  }

  controls() {
    const { sentences, heads, maps: all } = this.data;
    const open = (head, sentence) => this.keep({ head, sentence, ...brightest(all[head][sentence]) });
    this.sentences = menu("sentence", sentences.map((text, i) => [i, text]), (value) => open(this.model.get("head"), Number(value)));
    this.heads = menu("head", heads.map((name) => [name, spell(name)]), (value) => open(value, this.model.get("sentence")));
    const ways = Object.entries(HOWS).map(([how, [word]]) => [how, word]);
    this.how = choices({ label: "edit", options: ways, value: this.model.get("how"), chosen: (how) => this.keep({ how }) });
    return make("div", { class: "rw-controls" }, this.sentences.control, this.heads.control, this.how.group);
  }

  draw() {
    const [head, number] = [this.model.get("head"), this.model.get("sentence")];
    const it = this.data.maps[head][number];
    if (this.shown !== it) {
      this.shown = it;
      this.maps = maps(it, head, (query, key) => {
        if (query !== this.model.get("query") || key !== this.model.get("key")) this.keep({ query, key });
      });
      this.place.replaceChildren(...this.maps.panels);
    }
    // A cell set from Python, or a way chosen for another sentence, may not be there in this one.
    const last = it.tokens.length - 1;
    const [query, key] = [this.model.get("query"), this.model.get("key")].map((i) => Math.min(i, last));
    const how = this.model.get("how") === "swap" && !it.donor ? "zero" : this.model.get("how");
    const found = compare(it, query, key, how);
    this.maps.light(query, key);
    this.outcome.draw(it, query, key, how, found);
    this.how.inputs[Object.keys(HOWS).indexOf("swap")].disabled = !it.donor;
    this.how.set(how);
    this.sentences.select.value = number;
    this.heads.select.value = head;
    this.note.replaceChildren(...formula(it.P[query][key], found.mine, how));
    const text = sentence(it, head, query, key, how, found);
    if (this.finding.textContent !== text) this.voice.say(text);
    this.finding.textContent = text;
    this.root.dataset.drawn = `${query} ${key} ${how}`;
  }

  stop() {
    this.voice.stop();
    this.leave();
  }
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
  const [sort, many] = [kind(tokens[key]), found.others.length];
  const control = !many ? "There is no other of its kind to compare with." :
    `The same edit of the other ${sort}${many > 1 ? "s" : ""} moves it by ${short(found.control)}${many > 1 ? ` (median of ${many})` : ""}.`;
  return `In ${spell(head)}, “${tokens[query]}” gives “${tokens[key]}” a weight of ${digits(P[query][key])}; its value has norm ` +
    `${digits(norm(V[key]))}. With ${done}, the head's row for “${tokens[query]}” moves by ${short(found.mine.change)} of its length. ${control}`;
}

function render({ model, el }) {
  const figure = new HeadFigure(model, el);
  return () => figure.stop();
}

export default { render };
