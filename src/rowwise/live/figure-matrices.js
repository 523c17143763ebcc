// The matrices: one row a query, a number in every cell.

const [TOP, TALL, LEFT, SUM, ARROW] = [78, 40, 32, 88, 26];

const ABOUT = { scores: "Q Kᵀ", weights: "softmax by row", output: "W V" };

// Every shown matrix. They wrap where the width ends, and the lit row goes through each line of them.
function matrices(fig) {
	const root = add(null, "svg.matrices");
	const hatch = add(root, "pattern", { id: fig.id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
	add(hatch, "path.hatch-paper", { d: "M0 0H7V7H0z" });
	add(hatch, "path.hatch-line", { d: "M0 0V7" });
	const lines = add(root, "g");
	const blocks = fig.stages.map((stage) => matrix(fig, stage, root));
	const { Q } = fig.state;
	const high = TOP + Q.length * TALL + 14;
	// How wide the widest matrix is, and all in one line, with cells of this width.
	const widths = (cell) => blocks.map((block) => block.width(cell));
	const least = (cell) => LEFT + 6 + Math.max(...widths(cell));
	const total = (cell) => widths(cell).reduce((sum, width) => sum + width + ARROW, LEFT + 6 - ARROW);
	let rows = [];
	const layout = (room) => {
		const cell = [56, 54, 52, 50, 48].find((c) => total(c) <= room) ?? 54;
		let [x, top, end] = [room, -high, 0];
		lines.replaceChildren();
		rows = [];
		for (const block of blocks) {
			const width = block.width(cell);
			if (x + width > room) {
				[x, top] = [LEFT, top + high];
				const band = add(lines, "rect.band", { height: TALL + 6, rx: 6 });
				const heads = Q.map((_, i) => letter(lines, "Q.row-letter", "q", i));
				heads.forEach((node, i) => put(node, { x: LEFT - 8, y: top + TOP + i * TALL + 25 }));
				rows.push({ top, band, heads });
			} else add(lines, "text.next", { x: x - ARROW / 2, y: top + TOP + (Q.length * TALL) / 2 + 5, text: "→" });
			block.place(x, top, cell);
			put(rows.at(-1).band, { width: x + width + 6 });
			end = Math.max(end, x + width + 8);
			x += width + ARROW;
		}
		put(root, { width: end, height: top + high - 4 });
		update();
	};
	const update = () => {
		for (const { top, heads, band } of rows) {
			put(band, { y: top + TOP + fig.row * TALL - 3 });
			heads.forEach((node, i) => put(node, { "data-lit": i === fig.row }));
		}
		for (const block of blocks) block.update();
	};
	return { root, layout, update, total, least };
}

// One stage: its name, the letters of its columns, its cells.
function matrix(fig, stage, parent) {
	const { Q, K, V } = fig.state;
	const columns = stage === "output" ? V[0] : K;
	const shape = `${Q.length}, ${columns.length}`;
	const root = add(parent, "g");
	add(root, "text.title-text", { y: 16, text: stage });
	const about = add(root, "text.about-text", { y: 36 });
	const heads = columns.map((_, j) => (stage === "output" ? add(root, "text.letter", j + 1) : letter(root, "K", "k", j)));
	const grid = add(root, "g", { role: "grid", "aria-label": `${stage}, one row a query` });
	const cells = Q.map((_, i) => {
		const row = add(grid, "g", { role: "row" });
		return columns.map((_, j) => matrixCell(fig, stage, i, j, row, step));
	});
	const sums = stage === "weights" ? Q.map((_, i) => rowSum(fig, i, root)) : [];
	// One tab stop a matrix: the arrow keys go on from cell to cell.
	function step(i, j) {
		if (!cells[i]?.[j]) return;
		for (const { node } of cells.flat()) put(node, { tabindex: node === cells[i][j].node ? 0 : -1 });
		cells[i][j].node.focus({ preventScroll: true });
	}
	const place = (x, y, cell) => {
		put(root, { transform: `translate(${x} ${y})` });
		heads.forEach((node, j) => put(node, { x: (j + 0.5) * cell, y: 66 }));
		for (const one of cells.flat()) one.place(cell);
		for (const sum of sums) sum.place(columns.length * cell + 10);
	};
	const scaled = ({ K, scale }) => (scale ? `÷ √d_k = ${short(Math.sqrt(K[0].length))}` : "scaling is off");
	const update = () => {
		const now = fig.seen(stage);
		put(about, { scaled: scaled(fig.state), masked: "before softmax" }[stage] ?? `${ABOUT[stage]} (${shape})`);
		// Scores are shaded by size, lighter than weights: only weights have a fixed scale.
		const most = stage === "weights" ? 1 : 1.6 * Math.max(1e-9, ...(now ?? []).flat().map(Math.abs).filter(finite));
		cells.forEach((row, i) => row.forEach((cell, j) => cell.update(now?.[i]?.[j] ?? null, most)));
		for (const sum of sums) sum.update(now);
	};
	return { place, update, width: (cell) => Math.max(92, columns.length * cell) + (sums.length && SUM) };
}

function matrixCell(fig, stage, i, j, parent, step) {
	const y = TOP + i * TALL;
	const node = add(parent, "g.cell", { role: "gridcell", tabindex: i + j ? -1 : 0 });
	const box = add(node, "rect.box-cell", { y, height: TALL });
	const text = add(node, "text.number");
	const under = add(node, "text.under", { y: y + 34 });
	const mark = add(node, "path.moved");
	const ring = add(node, "rect.ring", { y: y + 1, height: TALL - 2, rx: 3 });
	const toggle = () => stage === "masked" && fig.toggle(i, j);
	node.onfocus = () => fig.look(stage, i, j);
	node.onpointerenter = () => fig.explain((fig.hover = { stage, i, j }));
	node.onpointerleave = () => fig.explain((fig.hover = null));
	node.onclick = () => (step(i, j), toggle());
	node.onkeydown = (event) => {
		const by = taken(event);
		if (by) step(i - by[1], j + by[0]);
		if (event.key !== " ") return;
		event.preventDefault();
		event.stopPropagation();
		toggle();
	};
	const place = (cell) => {
		put(box, { x: j * cell, width: cell });
		put(ring, { x: j * cell + 1, width: cell - 2 });
		put(mark, { d: `M${(j + 1) * cell - 11} ${y + 1}h10v10z` });
		for (const t of [text, under]) put(t, { x: (j + 0.5) * cell });
	};
	const update = (value, most) => {
		const hidden = fig.hidden(stage);
		const out = !hidden && /masked|weights/.test(stage) && !fig.state.mask[i][j];
		const lit = i === fig.row;
		const note = fig.under(stage, i, j);
		const { cell } = fig;
		const level = Math.round(100 * Math.min(1, Math.abs(value) / most)) || 0;
		put(box, { style: out ? `fill: url(#${fig.id})` : `--rw-level: ${level}%`, "data-lit": lit });
		put(text, { text: hidden ? "?" : out && value === 0 ? "0" : short(value), "data-lit": lit, y: y + (note ? 19 : 25) });
		put(under, note);
		show(mark, !hidden && fig.moves[stage]?.[i][j]);
		show(ring, cell.stage === stage && cell.i === i && cell.j === j);
		const spoken = hidden ? "hidden until you have answered" : value === null ? "not there yet" : full(value);
		put(node, { "aria-label": `${cellName(stage, i, j)}: ${spoken}${out ? ", excluded" : ""}` });
	};
	return { node, place, update };
}

// Σ of one row: a tick when it is 1, words when it is not.
function rowSum(fig, i, parent) {
	const y = TOP + i * TALL;
	const sum = add(parent, "text.sum");
	const words = add(parent, "text.sum-words", { y: y + 33 });
	const update = (weights) => {
		const known = Boolean(weights) && !weights[i].includes(null);
		const total = known ? weights[i].reduce((a, b) => a + b, 0) : 0;
		const one = Math.abs(total - 1) < 1e-6;
		const none = !total && !fig.state.mask[i].includes(true);
		const said = !known || one ? "" : none ? "none permitted" : Number.isNaN(total) ? "not a number" : "not 1";
		put(sum, { text: `Σ ${known ? short(total) : ""}${one ? " ✓" : ""}`, y: y + (said ? 18 : 25), "data-lit": i === fig.row });
		put(words, said);
	};
	return { update, place: (x) => [sum, words].forEach((node) => put(node, { x })) };
}
