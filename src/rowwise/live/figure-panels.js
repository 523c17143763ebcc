// Making and changing elements, and the panels of addressing and content.

const NS = "http://www.w3.org/2000/svg";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const LETTERS = { Q: ["q", "query"], K: ["k", "key"], V: ["v", "value"] };

/** A new last child of parent (or of nobody): add(svg, "path.shaft.K") is a path of the classes rw-shaft and rw-K. */
function add(parent, kind, attributes = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const drawn = tag === "svg" || parent?.namespaceURI === NS;
  const node = drawn ? document.createElementNS(NS, tag) : document.createElement(tag);
  if (classes.length) node.setAttribute("class", classes.map((c) => `rw-${c}`).join(" "));
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  // JupyterLab's shortcuts take the arrow keys unless this stands on the very element that has the focus.
  if ("tabindex" in attributes || ["input", "button"].includes(tag)) node.dataset.lmSuppressShortcuts = "true";
  node.append(...children);
  parent?.append(node);
  return node;
}

/** Sets what differs from what was set last, so that a move touches only what it changed. */
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

const show = (node, visible) => put(node, { visibility: visible ? "visible" : "hidden" });

/** A letter with its number lowered: k₁. */
function letter(parent, kind, base, index) {
  const node = add(parent, `text.letter.${kind}`, {}, base);
  add(node, "tspan.low", { dy: 3, text: index + 1 });
  return node;
}

const tidy = (x) => Number(x.toFixed(6));
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** The smallest of 1, 2, 3, 5, 10, 20 … that holds every number; never beyond a million. */
function reach(numbers, least) {
  const size = Math.max(least, ...numbers.map(Math.abs));
  for (let tens = 1; tens < 1e6; tens *= 10) for (const n of [1, 2, 3, 5]) if (n * tens >= size) return n * tens;
  return 1e6;
}

/** A group that is dragged, or moved with the arrow keys (a tenth; with shift a hundredth). */
function handle(parent, figure, name, i, fromPointer) {
  const node = add(parent, `g.handle.${name}`, { tabindex: 0, role: "slider" });
  const on = (event, act) => node.addEventListener(event, act);
  on("pointerdown", (event) => {
    if (event.button) return;
    event.preventDefault();
    node.setPointerCapture(event.pointerId);
    node.focus({ preventScroll: true });
    figure.begin();
  });
  on("pointermove", (event) => node.hasPointerCapture(event.pointerId) && figure.set(name, i, fromPointer(event)));
  on("lostpointercapture", () => figure.finish());
  on("focus", () => figure.choose(name, i));
  on("keydown", (event) => {
    const by = ARROWS[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const size = event.shiftKey ? 0.01 : 0.1;
    const one = figure.state[name][i].length === 1;
    figure.move((s) => (s[name][i] = s[name][i].map((x, c) => tidy(x + size * (one ? by[0] + by[1] : by[c])))));
  });
  return node;
}

function nameHandle(node, name, i, row) {
  const text = row.length === 1 ? full(row[0]) : `x ${full(row[0])}, y ${full(row[1])}`;
  put(node, { "aria-label": `${LETTERS[name][1]} ${i + 1}, moved by the arrow keys`, "aria-valuenow": row[0], "aria-valuetext": text });
}

/** A square of coordinates, or a line where `flat`. x and y go from numbers to pixels, back from the pointer. */
function plane(figure, names, label, flat = false) {
  const size = 250;
  const height = flat ? 130 : size;
  const root = add(null, "svg.panel", { width: size, height, viewBox: `0 0 ${size} ${height}`, role: "group", "aria-label": label });
  const grid = add(root, "path.gridlines");
  const axes = add(root, "path.axes");
  if (!flat) add(root, "rect.frame", { x: 0.5, y: 0.5, width: size - 1, height: size - 1 });
  const ticks = add(root, "g.ticks", { "aria-hidden": "true" });
  let [low, high] = [0, 0];
  const pixel = (v) => clamp(22 + ((v - low) * (size - 44)) / (high - low), 4, size - 4);
  const x = (row) => pixel(row[0]);
  const y = (row) => (flat ? 60 : size - pixel(row[1]));
  const back = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(root.getScreenCTM().inverse());
    const step = Math.max(0.05, high / 200);
    const number = (p) => tidy(clamp(step * Math.round((low + ((p - 22) * (high - low)) / (size - 44)) / step), low, high));
    return flat ? [number(at.x)] : [number(at.x), number(size - at.y)];
  };
  const measure = () => {
    const numbers = [...names].flatMap((name) => figure.state[name].flat());
    const before = [low, high].join();
    high = reach(numbers, 2);
    low = names === "V" && numbers.every((v) => v >= 0) ? 0 : -high;
    if (before === [low, high].join()) return;
    const tens = 10 ** Math.floor(Math.log10(high));
    const step = { 1: 0.5, 2: 1, 3: 1, 5: low ? 2 : 1 }[high / tens] * tens;
    let lines = "";
    ticks.replaceChildren();
    for (let v = Math.ceil(low / step) * step; v <= high + step / 4; v += step) {
      const [across, up, text] = [pixel(v), size - pixel(v), full(tidy(v))];
      lines += `M${across} 1V${height - 1}${flat ? "" : `M1 ${up}H${size - 1}`}`;
      add(ticks, "text.tick-x", { x: across, y: height - 5, text });
      if (!flat && Math.abs(v) > step / 4) add(ticks, "text.tick-y", { x: 4, y: up + 4, text });
    }
    put(grid, { d: lines });
    put(axes, { d: flat ? `M4 60H${size - 4}` : `M${pixel(0)} 1V${size - 1}M1 ${size - pixel(0)}H${size - 1}` });
  };
  return { root, x, y, back, measure, width: size, at: (row) => `${x(row)} ${y(row)}`, layer: add(root, "g") };
}

/** Letters beside their points: the first of eight places that hits nothing put before. */
function placeLetters(items, size = 250) {
  const taken = items.map(({ x, y }) => [x - 8, y - 8, x + 8, y + 8]);
  const hits = (a) => taken.filter((b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1]).length;
  for (const { node, x, y, dx = 1, dy = -1, wide = 22 } of items) {
    let best = { cost: Infinity };
    for (const turn of [0, 0.8, -0.8, 1.6, -1.6, 2.4, -2.4, Math.PI]) {
      const angle = Math.atan2(dy, dx) + turn;
      const [cx, cy] = [x + Math.cos(angle) * (12 + wide / 2), y + Math.sin(angle) * 19];
      const box = [cx - wide / 2, cy - 8, cx + wide / 2, cy + 8];
      const outside = box[0] < 2 || box[1] < 2 || box[2] > size - 2 || box[3] > size - 2;
      const cost = hits(box) + (outside ? 5 : 0);
      if (cost < best.cost) best = { cost, cx, cy, box };
      if (!cost) break;
    }
    taken.push(best.box);
    put(node, { x: best.cx.toFixed(1), y: (best.cy + 4.5).toFixed(1) });
  }
}

/** Queries and keys as arrows from the origin (d_k = 2). */
function addressing(figure) {
  const view = plane(figure, "QK", "Addressing: queries and keys as arrows in a plane");
  const arrows = ["Q", "K"].flatMap((name) =>
    figure.state[name].map((_, i) => ({ name, i, ghost: add(view.layer, `path.ghost.${name}`), shaft: add(view.layer, `path.shaft.${name}`) })),
  );
  for (const a of arrows) {
    a.letter = letter(view.layer, a.name, LETTERS[a.name][0], a.i);
    a.node = handle(view.layer, figure, a.name, a.i, view.back);
    a.disc = add(a.node, "circle.disc", { r: a.name === "K" ? 8 : 7 });
    a.head = add(a.node, "path.head", { d: "M0 0L-11 -5L-11 5z" });
  }
  const update = () => {
    const origin = [0, 0];
    const items = arrows.map(({ name, i, ghost, shaft, node, disc, head, letter }) => {
      const row = figure.state[name][i];
      const [x, y, dx, dy] = [view.x(row), view.y(row), view.x(row) - view.x(origin), view.y(row) - view.y(origin)];
      const lit = name === "K" || i === figure.row;
      put(shaft, { d: `M${view.at(origin)}L${x} ${y}`, "data-lit": lit, "data-out": name === "K" && !figure.may(i) });
      put(disc, { cx: x, cy: y });
      put(head, { transform: `translate(${x} ${y}) rotate(${(Math.atan2(dy, dx) * 180) / Math.PI})` });
      put(letter, { "data-lit": lit });
      const then = figure.pinned?.state[name][i];
      put(ghost, { d: then && String(then) !== String(row) ? `M${view.at(origin)}L${view.at(then)}` : "" });
      nameHandle(node, name, i, row);
      return { node: letter, x, y, dx: dx || 1, dy };
    });
    placeLetters(items);
  };
  return { ...view, update };
}

/** Values as squares, the hull of the permitted ones, each output where its weights put it (d_v = 1 or 2). */
function content(figure) {
  const { Q, V } = figure.state;
  const flat = V[0].length === 1;
  const view = plane(figure, "V", `Content: values ${flat ? "on a line, outputs below it" : "in a plane, outputs among them"}`, flat);
  const outline = add(view.layer, "path.hull-all");
  const filled = add(view.layer, flat ? "path.stretch" : "path.hull");
  const joins = V.map(() => add(view.layer, "path.join"));
  const ghosts = [...V, ...Q].map(() => add(view.layer, "path.ghost"));
  const letters = V.map((_, j) => letter(view.layer, "V", "v", j));
  const outputs = figure.outputs ? Q.map((_, i) => [letter(view.layer, "out", "out", i), add(view.layer, "circle.output")]) : [];
  const nodes = V.map((_, j) => handle(view.layer, figure, "V", j, view.back));
  const squares = nodes.map((node) => add(node, "rect.square", { width: 14, height: 14 }));
  const drop = flat ? 32 : 0;
  const shape = (points) => (points.length ? `M${hull(flat ? points.map(([p]) => [p, 0]) : points).map(view.at).join("L")}z` : "");
  const cross = (row, below) => `M${view.x(row) - 6} ${view.y(row) + below}h12m-6 -6v12`;
  const update = () => {
    const { V } = figure.state;
    const out = figure.seen("output")?.map((o) => (o.every(Number.isFinite) ? o : null)) ?? [];
    put(outline, { d: flat ? "" : shape(V) });
    put(filled, { d: figure.outputs ? shape(V.filter((_, j) => figure.may(j))) : "" });
    const items = V.map((row, j) => {
      put(squares[j], { x: view.x(row) - 7, y: view.y(row) - 7, "data-out": !figure.may(j) });
      nameHandle(nodes[j], "V", j, row);
      const w = figure.seen("weights")?.[figure.row][j];
      const end = out[figure.row];
      put(joins[j], { d: end && w > 0 && !flat ? `M${view.at(row)}L${view.at(end)}` : "", "stroke-width": 1 + 7 * clamp(w || 0, 0, 1) });
      return { node: letters[j], x: view.x(row), y: view.y(row), dx: flat ? 0 : 1 };
    });
    outputs.forEach(([name, dot], i) => {
      for (const node of [name, dot]) show(node, out[i]);
      for (const node of [name, dot]) put(node, { "data-lit": i === figure.row });
      if (!out[i]) return;
      const [x, y] = [view.x(out[i]), view.y(out[i]) + drop];
      put(dot, { cx: x, cy: y, r: i === figure.row ? 8 : 6 });
      items.push({ node: name, x, y, dx: flat ? 1 : -1, dy: 0, wide: 34 });
    });
    const pinned = figure.pinned;
    const then = [...(pinned?.state.V ?? V), ...(pinned?.results.output ?? [])];
    const moved = (now, was) => now && was?.every?.(Number.isFinite) && String(now) !== String(was);
    ghosts.forEach((g, n) => put(g, { d: moved([...V, ...out][n], then[n]) ? cross(then[n], n < V.length ? 0 : drop) : "" }));
    placeLetters(items);
  };
  return { ...view, update };
}
