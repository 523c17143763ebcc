// The matrices: one row a query, a number in every cell, and beside the weights the sum of each row.

const TALL = 40;
const LABEL = 32;
const SUM = 88;
const TOP = 78;
const ARROW = 26;

const ABOUT = {
  scores: (shape) => `Q Kᵀ (${shape})`,
  scaled: (_, { state }) => (state.scale ? `÷ √d_k = ${short(Math.sqrt(state.K[0].length))}` : "scaling is off"),
  masked: () => "before softmax",
  weights: (shape) => `softmax by row (${shape})`,
  output: (shape) => `W V (${shape})`,
};

/** Every shown matrix. They wrap where the width ends, and the lit row goes through each line of them. */
function matrices(figure) {
  const root = add(null, "svg.matrices", { role: "group", "aria-label": "Matrices, one row a query" });
  const hatch = add(add(root, "defs"), "pattern", { id: `${figure.id}-hatch`, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
  add(hatch, "rect.hatch-paper", { width: 7, height: 7 });
  add(hatch, "path.hatch-line", { d: "M0 0V7" });
  const lines = add(root, "g");
  const blocks = figure.stages.map((stage) => matrix(figure, stage, root));
  const n_q = figure.state.Q.length;
  const high = TOP + n_q * TALL + 14;
  /** How wide the widest matrix, and all in one line, are with cells of this width. */
  const least = (cell) => LABEL + 6 + Math.max(...blocks.map((b) => b.width(cell)));
  const total = (cell) => LABEL + 6 + blocks.reduce((sum, b) => sum + b.width(cell), 0) + ARROW * (blocks.length - 1);
  let rows = [];
  const layout = (room) => {
    const cell = [56, 54, 52, 50, 48].find((c) => total(c) <= room) ?? 54;
    lines.replaceChildren();
    rows = [];
    let [x, top, end] = [LABEL, 0, 0];
    const line = () => {
      const heads = figure.state.Q.map((_, i) => letter(lines, "Q.row-letter", "q", i));
      rows.push({ top, heads, band: add(lines, "rect.band", { x: 0, height: TALL + 6, rx: 6 }) });
      lines.prepend(rows.at(-1).band);
      heads.forEach((node, i) => {
        put(node, { x: LABEL - 8, y: top + TOP + i * TALL + 25 });
        node.addEventListener("click", () => figure.light(i));
      });
    };
    line();
    for (const block of blocks) {
      const width = block.width(cell);
      if (x > LABEL && x + width > room) {
        [x, top] = [LABEL, top + high];
        line();
      }
      if (x > LABEL) add(lines, "text.next", { x: x - ARROW / 2, y: top + TOP + (n_q * TALL) / 2 + 5, text: "→" });
      block.place(x, top, cell);
      put(rows.at(-1).band, { width: x + width + 6 });
      end = Math.max(end, x + width + 8);
      x += width + ARROW;
    }
    put(root, { width: end, height: top + high - 4, viewBox: `0 0 ${end} ${top + high - 4}` });
    update();
  };
  const update = () => {
    for (const { top, heads, band } of rows) {
      put(band, { y: top + TOP + figure.row * TALL - 3 });
      heads.forEach((node, i) => put(node, { "data-lit": i === figure.row }));
    }
    for (const block of blocks) block.update();
  };
  return { root, layout, update, total, least };
}

/** One stage: its name, the letters of its columns, its cells. */
function matrix(figure, stage, parent) {
  const { Q, K, V } = figure.state;
  const columns = (stage === "output" ? V[0] : K).length;
  const root = add(parent, "g");
  add(root, "text.title-text", { y: 16, text: stage });
  const about = add(root, "text.about-text", { y: 36 });
  const heads = Array.from({ length: columns }, (_, j) =>
    stage === "output" ? add(root, "text.letter.out", { text: j + 1 }) : letter(root, "K", "k", j),
  );
  const grid = add(root, "g", { role: "grid", "aria-label": `${stage}, one row a query` });
  const cells = Q.map((_, i) => {
    const row = add(grid, "g", { role: "row" });
    return heads.map((_, j) => matrixCell(figure, stage, i, j, row));
  });
  roving(cells, figure, stage);
  const sums = stage === "weights" ? Q.map((_, i) => rowSum(figure, i, root)) : [];
  const place = (x, y, cell) => {
    put(root, { transform: `translate(${x} ${y})` });
    heads.forEach((node, j) => put(node, { x: (j + 0.5) * cell, y: 66 }));
    for (const one of cells.flat()) one.place(cell);
    for (const sum of sums) sum.place(columns * cell + 10);
  };
  const update = () => {
    const now = figure.seen(stage);
    put(about, { text: ABOUT[stage](`${Q.length}, ${columns}`, figure) });
    // Scores are shaded by size, lighter than weights: only weights have a fixed scale.
    const most = stage === "weights" ? 1 : 1.6 * Math.max(1e-9, ...(now ?? []).flat().map(Math.abs).filter(Number.isFinite));
    cells.forEach((row, i) => row.forEach((cell, j) => cell.update(now?.[i]?.[j] ?? null, most)));
    for (const sum of sums) sum.update(now);
  };
  return { place, update, width: (cell) => columns * cell + (sums.length ? SUM : 0) };
}

function matrixCell(figure, stage, i, j, parent) {
  const y = TOP + i * TALL;
  const node = add(parent, "g.cell", { role: "gridcell", tabindex: i + j ? -1 : 0 });
  const box = add(node, "rect.box-cell", { y, height: TALL });
  const text = add(node, "text.number");
  const under = add(node, "text.under", { y: y + 34 });
  const mark = add(node, "path.moved");
  const ring = add(node, "rect.ring", { y: y + 1, height: TALL - 2, rx: 3 });
  node.addEventListener("focus", () => figure.look(stage, i, j));
  node.addEventListener("pointerenter", () => figure.point({ stage, i, j }));
  node.addEventListener("pointerleave", () => figure.point(null));
  node.addEventListener("click", () => {
    node.focus({ preventScroll: true });
    if (stage === "masked") figure.toggle(i, j);
  });
  const place = (cell) => {
    put(box, { x: j * cell, width: cell });
    put(ring, { x: j * cell + 1, width: cell - 2 });
    put(mark, { d: `M${(j + 1) * cell - 11} ${y + 1}h10v10z` });
    for (const t of [text, under]) put(t, { x: (j + 0.5) * cell });
  };
  const update = (value, most) => {
    const hidden = figure.hidden(stage);
    const out = !hidden && figure.excluded(stage, i, j);
    const lit = i === figure.row;
    const level = out ? 0 : Math.min(1, Math.abs(value) / most) || 0;
    put(box, { fill: out ? `url(#${figure.id}-hatch)` : figure.slate(level), "data-lit": lit });
    const note = figure.under(stage, i, j);
    put(text, { text: hidden ? "?" : out && value === 0 ? "0" : short(value), "data-lit": lit, y: y + (note ? 19 : 25) });
    put(under, { text: note });
    show(mark, figure.marked(stage, i, j));
    show(ring, figure.cell.stage === stage && figure.cell.i === i && figure.cell.j === j);
    const spoken = hidden ? "hidden until you have answered" : value === null ? "not there yet" : full(value);
    put(node, { "aria-label": `${cellName(stage, i, j)}: ${spoken}${out ? ", excluded" : ""}` });
  };
  return { node, place, update };
}

/** One tab stop a matrix: the arrow keys go from cell to cell, space toggles a mask cell. */
function roving(cells, figure, stage) {
  const all = cells.flat();
  cells.forEach((row, i) =>
    row.forEach(({ node }, j) => {
      node.addEventListener("focus", () => {
        for (const cell of all) cell.node.setAttribute("tabindex", cell.node === node ? 0 : -1);
      });
      node.addEventListener("keydown", (event) => {
        const step = ARROWS[event.key];
        if (step) cells[i - step[1]]?.[j + step[0]]?.node.focus();
        else if (event.key === " ") stage === "masked" && figure.toggle(i, j);
        else return;
        event.preventDefault();
        event.stopPropagation();
      });
    }),
  );
}

/** Σ of one row: a tick when it is 1, words when it is not. */
function rowSum(figure, i, parent) {
  const y = TOP + i * TALL;
  const sum = add(parent, "text.sum");
  const words = add(parent, "text.sum-words", { y: y + 33 });
  const update = (weights) => {
    const row = weights?.[i];
    const known = Boolean(row?.every((w) => w !== null));
    const total = known ? row.reduce((a, b) => a + b, 0) : 0;
    const one = Math.abs(total - 1) < 1e-6;
    const none = total === 0 && figure.state.mask[i].every((may) => !may);
    const said = !known || one ? "" : none ? "none permitted" : Number.isNaN(total) ? "not a number" : "not 1";
    put(sum, { text: `Σ ${known ? short(total) : ""}${one ? " ✓" : ""}`, y: y + (said ? 18 : 25), "data-lit": i === figure.row });
    put(words, { text: said });
  };
  return { update, place: (x) => [sum, words].forEach((node) => put(node, { x })) };
}
