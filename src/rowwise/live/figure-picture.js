// The drawing: panels of addressing and content, and the matrices. Each panel is an SVG that is laid out once for a
// width and then only changes what moved.

const NS = "http://www.w3.org/2000/svg";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

function svg(tag, attributes = {}, parent = null) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if ("tabindex" in attributes) keepKeys(node);
  parent?.append(node);
  return node;
}

/** Sets attributes that differ from what was set last, so that a move touches only what it changed. */
function put(node, values) {
  const last = (node.rw ??= {});
  for (const name in values) {
    const value = String(values[name]);
    if (last[name] === value) continue;
    last[name] = value;
    if (name === "text") node.textContent = value;
    else node.setAttribute(name, value);
  }
}

/** A letter with its number lowered, as SVG text: k₁. */
function letter(base, index, className, parent) {
  const node = svg("text", { class: `rw-letter ${className}` }, parent);
  node.append(base);
  const low = svg("tspan", { class: "rw-low", dy: 3 }, node);
  low.textContent = index + 1;
  return node;
}

function keysMove(node, step) {
  node.addEventListener("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    step(by, event.shiftKey ? 0.01 : 0.1);
  });
}

/** Calls `at(event)` for the press and for every move of the pointer until it is let go. */
function drags(node, { start, at, end }) {
  node.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    node.focus({ preventScroll: true });
    start(event);
  });
  node.addEventListener("pointermove", (event) => {
    if (node.hasPointerCapture(event.pointerId)) at(event);
  });
  for (const over of ["pointerup", "pointercancel"]) node.addEventListener(over, () => end());
}

const tidy = (x) => Number(x.toFixed(6));
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** The smallest of 1, 2, 5, 10, 20 … that holds every finite number; never beyond a million. */
function reach(numbers, least) {
  const size = Math.max(least, ...numbers.filter(Number.isFinite).map(Math.abs));
  for (let tens = 1; tens <= 1e6; tens *= 10) for (const n of [1, 2, 3, 5]) if (n * tens >= size) return n * tens;
  return 1e6;
}

const LETTERS = { Q: ["q", "query"], K: ["k", "key"], V: ["v", "value"] };

/** One handle that can be dragged or moved with the arrow keys. `name` is Q, K or V, `i` its row. */
function handle(parent, name, i, figure, fromPointer) {
  const node = svg("g", { class: `rw-handle rw-${name}`, tabindex: 0, role: "slider" }, parent);
  drags(node, {
    start: () => (figure.begin(), figure.choose(name, i, null)),
    at: (event) => figure.set(name, i, fromPointer(event)),
    end: () => figure.finish(),
  });
  keysMove(node, (by, size) => {
    figure.begin();
    const row = figure.state[name][i];
    figure.set(name, i, row.map((x, c) => tidy(x + (by[c] ?? 0) * size)));
    figure.finish();
  });
  node.addEventListener("focus", () => figure.choose(name, i, null));
  return node;
}

function nameHandle(node, word, i, row) {
  const text = row.length === 1 ? full(row[0]) : `x ${full(row[0])}, y ${full(row[1])}`;
  put(node, { "aria-label": `${word} ${i + 1}; the arrow keys move it`, "aria-valuenow": row[0], "aria-valuetext": text });
}

/** Tells the pointer's place in the coordinates of a panel. */
function place(root, event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(root.getScreenCTM().inverse());
}

/** A square plane whose middle, or lower left, is 0; `x`, `y` and `back` go between numbers and pixels. */
function plane(size, label) {
  const root = svg("svg", { class: "rw-panel", width: size, height: size, viewBox: `0 0 ${size} ${size}`, role: "group", "aria-label": label });
  const grid = svg("path", { class: "rw-gridlines" }, root);
  const axes = svg("path", { class: "rw-axes" }, root);
  svg("rect", { class: "rw-frame", x: 0.5, y: 0.5, width: size - 1, height: size - 1 }, root);
  const marks = svg("g", { class: "rw-ticks", "aria-hidden": "true" }, root);
  const layer = svg("g", {}, root);
  const view = { root, layer, size, low: -1, high: 1 };
  const k = () => (size - 44) / (view.high - view.low);
  const inside = (p) => clamp(Number.isFinite(p) ? p : 0, 4, size - 4);
  view.x = (x) => inside(22 + (x - view.low) * k());
  view.y = (y) => inside(size - 22 - (y - view.low) * k());
  view.back = (event) => {
    const p = place(root, event);
    const step = (view.high - view.low) / 4 >= 10 ? 1 : 0.05;
    const snap = (v) => tidy(clamp(Math.round(v / step) * step, view.low, view.high));
    return [snap(view.low + (p.x - 22) / k()), snap(view.low + (size - 22 - p.y) / k())];
  };
  view.range = (low, high) => {
    if (low === view.low && high === view.high && marks.firstChild) return;
    [view.low, view.high] = [low, high];
    const step = [1, 2, 5].flatMap((n) => [0.1, 1, 10, 100, 1e3, 1e4, 1e5].map((t) => n * t)).sort((a, b) => a - b).find((s) => (high - low) / s <= 6);
    let d = "";
    marks.replaceChildren();
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
      d += `M${view.x(v)} 1V${size - 1}M1 ${view.y(v)}H${size - 1}`;
      const text = { text: short(tidy(v)).replace(/\.00$|(\.\d)0$/, "$1") };
      put(svg("text", { class: "rw-tick-x", x: view.x(v), y: size - 5 }, marks), text);
      if (Math.abs(v) > step / 2) put(svg("text", { class: "rw-tick-y", x: 4, y: view.y(v) + 4 }, marks), text);
    }
    put(grid, { d });
    put(axes, { d: `M${view.x(0)} 1V${size - 1}M1 ${view.y(0)}H${size - 1}` });
  };
  return view;
}

/** Puts letters beside their points: the first place of eight that hits nothing put there before. */
function placeLetters(items, size, width = 22) {
  const taken = items.map(({ x, y }) => [x - 8, y - 8, x + 8, y + 8]);
  const hits = (a) => taken.filter((b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1]).length;
  for (const { node, x, y, dx = 1, dy = -1, wide = width } of items) {
    const angle = Math.atan2(dy, dx);
    let best = null;
    for (const turn of [0, 0.8, -0.8, 1.6, -1.6, 2.4, -2.4, Math.PI]) {
      const cx = x + Math.cos(angle + turn) * (12 + wide / 2);
      const cy = y + Math.sin(angle + turn) * 19;
      const box = [cx - wide / 2, cy - 8, cx + wide / 2, cy + 8];
      const out = box[0] < 2 || box[1] < 2 || box[2] > size - 2 || box[3] > size - 2;
      const cost = hits(box) + (out ? 5 : 0);
      if (!best || cost < best.cost) best = { cost, cx, cy, box };
      if (!best.cost) break;
    }
    taken.push(best.box);
    put(node, { x: best.cx.toFixed(1), y: (best.cy + 4.5).toFixed(1) });
  }
}

/** Queries and keys as arrows from the origin (d_k = 2). */
function addressingPlane(figure, size) {
  const view = plane(size, "Addressing: queries and keys as arrows in a plane");
  const make1 = (name) =>
    figure.state[name].map((_, i) => {
      const [base, word] = LETTERS[name];
      const shaft = svg("path", { class: `rw-shaft rw-${name}` }, view.layer);
      const ghost = svg("path", { class: `rw-ghost rw-${name}` }, view.layer);
      return { name, i, word, shaft, ghost, letter: letter(base, i, `rw-${name}`, view.layer) };
    });
  const arrows = [...make1("Q"), ...make1("K")];
  for (const a of arrows) {
    a.node = handle(view.layer, a.name, a.i, figure, view.back);
    a.disc = svg("circle", { r: a.name === "K" ? 8 : 6, class: "rw-disc" }, a.node);
    a.head = svg("path", { class: "rw-head" }, a.node);
  }
  const measure = () => view.range(...figure.range("QK", 2));
  measure();
  const update = () => {
    const [ox, oy] = [view.x(0), view.y(0)];
    for (const a of arrows) {
      const row = figure.state[a.name][a.i];
      const [x, y] = [view.x(row[0]), view.y(row[1])];
      const lit = a.name === "K" || a.i === figure.row;
      const out = a.name === "K" && figure.masks && !figure.state.mask[figure.row][a.i];
      put(a.shaft, { d: `M${ox} ${oy}L${x} ${y}`, "data-lit": lit, "data-out": out });
      put(a.disc, { cx: x, cy: y });
      const angle = (Math.atan2(y - oy, x - ox) * 180) / Math.PI;
      put(a.head, { d: "M0 0L-11 -5L-11 5z", transform: `translate(${x} ${y}) rotate(${angle})`, "data-lit": lit });
      put(a.letter, { "data-lit": lit });
      const pinned = figure.pinned?.state[a.name][a.i];
      put(a.ghost, { d: pinned && String(pinned) !== String(row) ? `M${ox} ${oy}L${view.x(pinned[0])} ${view.y(pinned[1])}` : "" });
      nameHandle(a.node, a.word, a.i, row);
      Object.assign(a, { at: { node: a.letter, x, y, dx: x - ox || 1, dy: y - oy || -1 } });
    }
    placeLetters(arrows.map((a) => a.at), size);
  };
  return { root: view.root, width: size, update, measure };
}

/** Values as squares, their hull, and each output where its weights put it (d_v = 2). */
function contentPlane(figure, size) {
  const view = plane(size, "Content: values, and outputs among them");
  const outline = svg("path", { class: "rw-hull-all" }, view.layer);
  const filled = svg("path", { class: "rw-hull" }, view.layer);
  const joins = figure.state.V.map(() => svg("path", { class: "rw-join" }, view.layer));
  const ghosts = [...figure.state.V, ...figure.state.Q].map(() => svg("path", { class: "rw-ghost" }, view.layer));
  const values = figure.state.V.map((_, j) => ({ letter: letter("v", j, "rw-V", view.layer) }));
  const outputs = figure.outputs ? figure.state.Q.map((_, i) => ({ letter: letter("out", i, "rw-out", view.layer) })) : [];
  values.forEach((v, j) => {
    v.node = handle(view.layer, "V", j, figure, view.back);
    v.square = svg("rect", { width: 14, height: 14, class: "rw-square" }, v.node);
  });
  for (const o of outputs) o.dot = svg("circle", { class: "rw-output" }, view.layer);
  const measure = () => view.range(...figure.range("V", 2));
  measure();
  const update = () => {
    const { V, mask } = figure.state;
    const out = figure.hidden("output") ? null : figure.results.output;
    const may = V.map((_, j) => !figure.masks || mask[figure.row][j]);
    const shape = (points) => (points.length ? `M${hull(points).map((p) => `${view.x(p[0])} ${view.y(p[1])}`).join("L")}z` : "");
    put(outline, { d: shape(V) });
    put(filled, { d: outputs.length ? shape(V.filter((_, j) => may[j])) : "" });
    const items = values.map((v, j) => {
      const [x, y] = [view.x(V[j][0]), view.y(V[j][1])];
      put(v.square, { x: x - 7, y: y - 7, "data-out": !may[j] });
      nameHandle(v.node, "value", j, V[j]);
      const w = figure.results.weights?.[figure.row]?.[j];
      const end = out?.[figure.row];
      const drawn = outputs.length && end && w > 0 && end.every(Number.isFinite) && !figure.hidden("weights");
      put(joins[j], { d: drawn ? `M${x} ${y}L${view.x(end[0])} ${view.y(end[1])}` : "", "stroke-width": (1 + 7 * clamp(w || 0, 0, 1)).toFixed(2) });
      return { node: v.letter, x, y };
    });
    outputs.forEach((o, i) => {
      const here = out?.[i]?.every(Number.isFinite) ? out[i] : null;
      const lit = i === figure.row;
      put(o.dot, { cx: here ? view.x(here[0]) : 0, cy: here ? view.y(here[1]) : 0, r: lit ? 8 : 6, "data-lit": lit, visibility: here ? "visible" : "hidden" });
      put(o.letter, { "data-lit": lit, visibility: here ? "visible" : "hidden" });
      if (here) items.push({ node: o.letter, x: view.x(here[0]), y: view.y(here[1]), dx: -1, dy: 0, wide: 34 });
    });
    drawGhosts(V, out);
    placeLetters(items, size);
  };
  function drawGhosts(V, out) {
    const was = figure.pinned;
    const cross = (p) => `M${view.x(p[0]) - 6} ${view.y(p[1])}h12m-6 -6v12`;
    ghosts.forEach((g, n) => {
      const then = n < V.length ? was?.state.V[n] : was?.results.output?.[n - V.length];
      const now = n < V.length ? V[n] : out?.[n - V.length];
      put(g, { d: then && now && String(then) !== String(now) && then.every(Number.isFinite) ? cross(then) : "" });
    });
  }
  return { root: view.root, width: size, update, measure };
}

/** Values on a line (d_v = 1): squares above it, outputs below, the permitted stretch thick. */
function contentLine(figure, size) {
  const height = 130;
  const root = svg("svg", { class: "rw-panel", width: size, height, viewBox: `0 0 ${size} ${height}`, role: "group", "aria-label": "Content: values on a line, outputs below it" });
  svg("path", { class: "rw-axes", d: `M8 64H${size - 8}` }, root);
  const stretch = svg("path", { class: "rw-stretch" }, root);
  const ticks = svg("g", { class: "rw-ticks", "aria-hidden": "true" }, root);
  let low = 0;
  let high = 1;
  const x = (v) => clamp(22 + ((v - low) * (size - 44)) / (high - low), 4, size - 4);
  const back = (event) => [tidy(clamp(Math.round((low + ((place(root, event).x - 22) * (high - low)) / (size - 44)) * 20) / 20, low, high))];
  const values = figure.state.V.map((_, j) => {
    const node = handle(root, "V", j, figure, back);
    return { node, square: svg("rect", { y: 57, width: 14, height: 14, class: "rw-square" }, node), letter: letter("v", j, "rw-V", root) };
  });
  const outputs = figure.outputs ? figure.state.Q.map((_, i) => ({ dot: svg("circle", { cy: 92, class: "rw-output" }, root), letter: letter("out", i, "rw-out", root) })) : [];
  const measure = () => {
    [low, high] = figure.range("V", 2);
    ticks.replaceChildren();
    for (const v of [low, (low + high) / 2, high]) put(svg("text", { class: "rw-tick-x", x: x(v), y: height - 4 }, ticks), { text: three(v) });
  };
  measure();
  const update = () => {
    const { V, mask } = figure.state;
    const may = V.map((_, j) => !figure.masks || mask[figure.row][j]);
    const ends = V.flatMap((v, j) => (may[j] ? [x(v[0])] : []));
    put(stretch, { d: ends.length && outputs.length ? `M${Math.min(...ends)} 64H${Math.max(...ends)}` : "" });
    const above = values.map((v, j) => {
      put(v.square, { x: x(V[j][0]) - 7, "data-out": !may[j] });
      nameHandle(v.node, "value", j, V[j]);
      return { node: v.letter, x: x(V[j][0]), y: 64, dx: 0, dy: -1 };
    });
    const below = outputs.flatMap((o, i) => {
      const here = figure.hidden("output") ? NaN : figure.results.output?.[i]?.[0];
      const lit = i === figure.row;
      const visibility = Number.isFinite(here) ? "visible" : "hidden";
      put(o.dot, { cx: x(here || 0), r: lit ? 8 : 6, "data-lit": lit, visibility });
      put(o.letter, { "data-lit": lit, visibility });
      return visibility === "visible" ? [{ node: o.letter, x: x(here), y: 92, dx: 1, dy: 0.2, wide: 34 }] : [];
    });
    placeLetters([...above, ...below], size);
  };
  return { root, width: size, update, measure };
}

/** Rows of numbers, for widths that no plane can show. A cell is dragged sideways, or moved with the arrow keys. */
function strips(figure, names, label) {
  const wide = 50;
  const tall = 26;
  const d = figure.state[names[0]][0].length;
  const outputs = names[0] === "V" && figure.outputs ? figure.state.Q.length : 0;
  const count = names.reduce((sum, n) => sum + figure.state[n].length, 0) + outputs;
  const gaps = names.length + (outputs ? 1 : 0);
  const size = { width: 40 + d * wide, height: count * tall + gaps * 10 };
  const root = svg("svg", { class: "rw-panel rw-strips", ...size, viewBox: `0 0 ${size.width} ${size.height}`, role: "group", "aria-label": label });
  const cells = [];
  let y = 4;
  const row = (name, base, i) => {
    const head = letter(base, i, `rw-${name} rw-strip-letter`, root);
    put(head, { x: 14, y: y + 18 });
    for (let c = 0; c < d; c++) cells.push(stripCell(root, figure, name, i, c, [38 + c * wide, y, wide - 3, tall - 3], head));
    y += tall;
  };
  for (const name of names) {
    figure.state[name].forEach((_, i) => row(name, LETTERS[name][0], i));
    y += 10;
  }
  for (let i = 0; i < outputs; i++) row("out", "out", i);
  const update = () => cells.forEach((cell) => cell.update());
  return { root, width: size.width, update, measure() {} };
}

function stripCell(root, figure, name, i, c, [x, y, width, height], head) {
  const fixed = name === "out";
  const node = svg("g", fixed ? {} : { tabindex: 0, role: "slider", class: "rw-handle rw-scrub" }, root);
  svg("rect", { x, y, width, height, class: `rw-strip rw-${name}` }, node);
  const text = svg("text", { x: x + width / 2, y: y + 17, class: "rw-number" }, node);
  const put1 = (value) => figure.set(name, i, figure.state[name][i].map((old, k) => (k === c ? tidy(value) : old)));
  let from = null;
  if (!fixed) {
    drags(node, {
      start: (event) => ((from = [event.clientX, figure.state[name][i][c]]), figure.begin(), figure.choose(name, i, c)),
      at: (event) => put1(from[1] + Math.round((event.clientX - from[0]) / 4) * 0.1),
      end: () => figure.finish(),
    });
    keysMove(node, (by, step) => (figure.begin(), put1(figure.state[name][i][c] + (by[0] + by[1]) * step), figure.finish()));
    node.addEventListener("focus", () => figure.choose(name, i, c));
  }
  const update = () => {
    const value = fixed ? (figure.hidden("output") ? null : figure.results.output?.[i]?.[c]) : figure.state[name][i][c];
    put(text, { text: short(value) });
    const lit = name === "K" || name === "V" || i === figure.row;
    put(text, { "data-lit": lit });
    put(head, { "data-lit": lit });
    if (!fixed) put(node, { "aria-label": `${LETTERS[name][1]} ${i + 1}, ${ordinal(c)} number`, "aria-valuenow": value, "aria-valuetext": full(value) });
  };
  return { update };
}

const CELL = 54;
const LINE = 40;
const LABEL = 32;
const SUM = 92;
const TOP = 76;
const ARROW = 28;

const TITLES = {
  scores: (n) => `Q Kᵀ (${n})`,
  scaled: (n, figure) => (figure.state.scale ? `÷ √d_k = ${short(Math.sqrt(figure.state.K[0].length))}` : "scaling is off"),
  masked: () => "before softmax",
  weights: (n) => `softmax, row by row (${n})`,
  output: (n) => `weights · V (${n})`,
};

/** Every shown matrix in one SVG; they wrap where the width ends, and the lit row goes through each line of them. */
function matrices(figure, stages) {
  const root = svg("svg", { class: "rw-matrices", role: "group", "aria-label": "Matrices, one row a query" });
  const hatch = svg("pattern", { id: `${figure.id}-hatch`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, svg("defs", {}, root));
  svg("rect", { width: 7, height: 7, class: "rw-hatch-paper" }, hatch);
  svg("path", { d: "M0 0V7", class: "rw-hatch-line" }, hatch);
  const n_q = figure.state.Q.length;
  const lines = svg("g", {}, root);
  const blocks = stages.map((stage) => matrix(figure, stage, root));
  const block = Object.fromEntries(blocks.map((b) => [b.stage, b]));
  const widest = Math.max(...blocks.map((b) => b.width)) + LABEL;
  const total = LABEL + blocks.reduce((sum, b) => sum + b.width, 0) + ARROW * (blocks.length - 1);
  let rows = [];
  const layout = (width) => {
    lines.replaceChildren();
    rows = [];
    const groups = [[]];
    let x = LABEL;
    for (const b of blocks) {
      if (x > LABEL && x + b.width > width) {
        groups.push([]);
        x = LABEL;
      }
      groups.at(-1).push([b, x]);
      x += b.width + ARROW;
    }
    const high = TOP + n_q * LINE + 14;
    groups.forEach((group, g) => {
      const end = group.at(-1)[1] + group.at(-1)[0].width;
      const band = svg("rect", { class: "rw-band", x: 0, width: end + 6, height: LINE + 6, rx: 6 }, lines);
      const heads = figure.state.Q.map((_, i) => letter("q", i, "rw-Q rw-row-letter", lines));
      heads.forEach((h, i) => {
        put(h, { x: LABEL - 8, y: g * high + TOP + i * LINE + 25 });
        h.addEventListener("click", () => figure.light(i));
      });
      group.forEach(([b, at], n) => {
        put(b.root, { transform: `translate(${at} ${g * high})` });
        if (n) put(svg("text", { class: "rw-next", x: at - ARROW / 2, y: g * high + TOP + (n_q * LINE) / 2 + 5 }, lines), { text: "→" });
      });
      rows.push({ band, heads, top: g * high + TOP });
    });
    const size = { width: Math.min(width, groups.length > 1 ? width : total + 8), height: groups.length * high - 4 };
    for (const name in size) root.setAttribute(name, size[name]);
    root.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    update();
  };
  const update = () => {
    for (const { band, heads, top } of rows) {
      put(band, { y: top + figure.row * LINE - 3 });
      heads.forEach((h, i) => put(h, { "data-lit": i === figure.row }));
    }
    for (const b of blocks) b.update();
  };
  return { root, layout, update, total, widest, block };
}

/** One stage: title, key letters, cells, and beside the weights each row's sum. */
function matrix(figure, stage, parent) {
  const results = figure.results[stage] ?? figure.shape(stage);
  const columns = results[0].length;
  const root = svg("g", {}, parent);
  const title = svg("text", { class: "rw-title-text", y: 16 }, root);
  title.textContent = stage;
  const about = svg("text", { class: "rw-about-text", y: 36 }, root);
  for (let j = 0; j < columns; j++) {
    const head = stage === "output" ? svg("text", { class: "rw-letter rw-out" }, root) : letter("k", j, "rw-K", root);
    if (stage === "output") head.textContent = j + 1;
    put(head, { x: j * CELL + CELL / 2, y: 64, "data-lit": true });
  }
  const grid = svg("g", { role: "grid", "aria-label": `${stage}, one row a query` }, root);
  const cells = results.map((_, i) => {
    const row = svg("g", { role: "row" }, grid);
    return Array.from({ length: columns }, (_, j) => matrixCell(figure, stage, i, j, row));
  });
  roving(cells, figure);
  const sums = stage === "weights" ? results.map((_, i) => rowSum(i, columns, root)) : [];
  const update = () => {
    const now = figure.hidden(stage) ? null : figure.results[stage];
    put(about, { text: TITLES[stage](`${results.length}, ${columns}`, figure) });
    const largest = stage === "weights" ? 1 : Math.max(1e-9, ...(now ?? []).flat().map(Math.abs).filter(Number.isFinite));
    cells.forEach((row, i) => row.forEach((cell, j) => cell.update(now?.[i]?.[j], largest)));
    sums.forEach((sum, i) => sum(now?.[i], figure));
  };
  return { stage, root, cells, update, width: columns * CELL + (sums.length ? SUM : 0) };
}

function matrixCell(figure, stage, i, j, parent) {
  const [x, y] = [j * CELL, TOP + i * LINE];
  const node = svg("g", { class: "rw-cell", role: "gridcell", tabindex: -1 }, parent);
  const box = svg("rect", { x, y, width: CELL, height: LINE, class: "rw-box-cell" }, node);
  const text = svg("text", { x: x + CELL / 2, y: y + 25, class: "rw-number" }, node);
  const under = svg("text", { x: x + CELL / 2, y: y + 35, class: "rw-under" }, node);
  const mark = svg("path", { class: "rw-moved", d: `M${x + CELL - 10} ${y + 1}h9v9z` }, node);
  const ring = svg("rect", { x: x + 1, y: y + 1, width: CELL - 2, height: LINE - 2, rx: 3, class: "rw-ring" }, node);
  node.addEventListener("focus", () => figure.look(stage, i, j));
  node.addEventListener("pointerenter", () => figure.point(stage, i, j));
  node.addEventListener("pointerleave", () => figure.point(null));
  node.addEventListener("click", () => {
    node.focus({ preventScroll: true });
    if (stage === "masked") figure.toggle(i, j);
  });
  const update = (value, largest) => {
    const out = figure.excluded(stage, i, j);
    const lit = i === figure.row;
    const hidden = figure.hidden(stage);
    const seen = hidden ? "?" : out && value === 0 ? "0" : short(value);
    const level = out || hidden || value === null || value === undefined ? 0 : Math.min(1, Math.abs(value) / largest) || 0;
    put(box, { fill: out && !hidden ? `url(#${figure.id}-hatch)` : figure.slate(level), "data-lit": lit });
    const note = hidden ? "" : figure.under(stage, i, j);
    put(text, { text: seen, "data-lit": lit, y: y + (note ? 20 : 25) });
    put(under, { text: note });
    put(mark, { visibility: figure.marked(stage, i, j) ? "visible" : "hidden" });
    put(ring, { visibility: figure.cell.stage === stage && figure.cell.i === i && figure.cell.j === j ? "visible" : "hidden" });
    const spoken = hidden ? "hidden until you have answered" : value === null || value === undefined ? "not there yet" : full(value);
    put(node, { "aria-label": `${cellName(stage, i, j)}: ${spoken}${out ? ", excluded" : ""}` });
  };
  return { node, update };
}

/** One tab stop a matrix; the arrow keys go from cell to cell, space toggles a mask cell. */
function roving(cells, figure) {
  cells[0][0].node.setAttribute("tabindex", 0);
  cells.forEach((row, i) =>
    row.forEach(({ node }, j) => {
      node.addEventListener("focus", () => {
        for (const cell of cells.flat()) put(cell.node, { tabindex: cell.node === node ? 0 : -1 });
      });
      node.addEventListener("keydown", (event) => {
        const step = ARROWS[event.key];
        if (step) cells[i - step[1]]?.[j + step[0]]?.node.focus();
        else if (event.key === " " && figure.cell.stage === "masked") figure.toggle(i, j);
        else return;
        event.preventDefault();
        event.stopPropagation();
      });
    }),
  );
}

/** Σ of one row: a tick when it is 1, words when it is not. */
function rowSum(i, columns, parent) {
  const x = columns * CELL + 10;
  const y = TOP + i * LINE;
  const sum = svg("text", { class: "rw-sum", x }, parent);
  const words = svg("text", { class: "rw-sum-words", x, y: y + 33 }, parent);
  return (row, figure) => {
    const known = row && row.every((w) => w !== null && w !== undefined);
    const total = known ? row.reduce((a, b) => a + b, 0) : NaN;
    const one = Math.abs(total - 1) < 1e-6;
    const none = known && total === 0 && figure.state.mask[i].every((may) => !may);
    const said = !known || one ? "" : none ? "none permitted" : Number.isNaN(total) ? "not a number" : "not 1";
    put(sum, { text: known ? `Σ ${short(total)}${one ? " ✓" : ""}` : "Σ", y: y + (said ? 18 : 25), "data-lit": i === figure.row });
    put(words, { text: said });
  };
}
