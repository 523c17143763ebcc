// Making and changing elements, and the panels of addressing and content.

const NS = "http://www.w3.org/2000/svg";
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const LETTERS = { Q: ["q", "query"], K: ["k", "key"], V: ["v", "value"] };
const SIZE = 250;

// A new last child of parent, or of nobody: add(svg, "text.letter", "q") has the class rw-letter and says q.
function add(parent, kind, attributes = {}, ...children) {
	const [tag, ...classes] = kind.split(".");
	const drawn = tag === "svg" || parent?.namespaceURI === NS;
	const node = drawn ? document.createElementNS(NS, tag) : document.createElement(tag);
	if (classes.length) node.setAttribute("class", `rw-${classes.join(" rw-")}`);
	// JupyterLab's shortcuts take the arrow keys unless this stands on the very element that has the focus.
	if (/input|button/.test(tag) || attributes.tabindex !== undefined) node.dataset.lmSuppressShortcuts = "true";
	put(node, attributes);
	node.append(...children);
	parent?.append(node);
	return node;
}

// Sets attributes, or the text, where they differ from the last: a move touches only what it changed.
function put(node, values) {
	node.rw ??= {};
	for (const [name, value] of Object.entries(typeof values === "object" ? values : { text: values })) {
		if (node.rw[name] === value) continue;
		node.rw[name] = value;
		if (name === "text") node.textContent = value;
		else if (typeof value === "function") node[name] = value;
		else node.setAttribute(name, value);
	}
}

const show = (node, visible) => put(node, { visibility: visible ? "visible" : "hidden" });

// A letter with its number lowered: k₁.
function letter(parent, kind, base, index) {
	const node = add(parent, `text.letter.${kind}`, {}, base);
	add(node, "tspan.low", { dy: 3, text: index + 1 });
	return node;
}

const tidy = (x) => Number(x.toFixed(6));
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

// The smallest of 1, 2, 3, 5, 10, 20 … that holds every number; never beyond a million.
function reach(numbers, least) {
	const size = Math.max(least, ...numbers.map(Math.abs));
	for (let tens = 1; tens < 1e6; tens *= 10) for (const n of [1, 2, 3, 5]) if (n * tens >= size) return n * tens;
	return 1e6;
}

// A group that is dragged, or moved with the arrow keys: a tenth, with shift a hundredth.
function handle(parent, fig, name, i, fromPointer) {
	const node = add(parent, `g.handle.${name}`, { tabindex: 0, role: "slider" });
	node.onpointerdown = (event) => {
		if (event.button) return;
		event.preventDefault();
		node.setPointerCapture(event.pointerId);
		node.focus({ preventScroll: true });
		fig.begin();
	};
	node.onpointermove = (event) => fig.set(name, i, fromPointer(event));
	node.onlostpointercapture = () => fig.open && fig.settle();
	node.onfocus = () => fig.choose(name, i);
	node.onkeydown = (event) => {
		const by = taken(event);
		if (!by) return;
		const size = event.shiftKey ? 0.01 : 0.1;
		fig.move(({ [name]: rows }) => (rows[i] = rows[i].map((x, c) => tidy(x + size * (rows[i][1] === undefined ? by[0] + by[1] : by[c])))));
	};
	const [, word] = LETTERS[name];
	return [node, (row) => put(node, { "aria-label": `${word} ${i + 1}`, "aria-valuenow": row[0], "aria-valuetext": row.map(full).join(", ") })];
}

// The arrow of an arrow key, which then goes no further.
function taken(event) {
	const by = ARROWS[event.key];
	if (!by) return null;
	event.preventDefault();
	event.stopPropagation();
	return by;
}

// A square of coordinates, or a line where `flat`: x and y go from numbers to pixels, `back` from the pointer.
function plane(fig, names, label, flat = false) {
	const height = flat ? 130 : SIZE;
	const root = add(null, "svg.panel", { width: SIZE, height, role: "group", "aria-label": label });
	const grid = add(root, "path.gridlines");
	const axes = add(root, "path.axes");
	const ticks = add(root, "g.ticks", { "aria-hidden": true });
	let [low, high] = [0, 0];
	const pixel = (v) => clamp(22 + ((v - low) * (SIZE - 44)) / (high - low), 4, SIZE - 4);
	const x = (row) => pixel(row[0]);
	const y = (row) => (flat ? 60 : SIZE - pixel(row[1]));
	const back = (event) => {
		const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(root.getScreenCTM().inverse());
		const step = Math.max(0.05, high / 200);
		const number = (p) => tidy(clamp(step * Math.round((low + ((p - 22) * (high - low)) / (SIZE - 44)) / step), low, high));
		return flat ? [number(at.x)] : [number(at.x), number(SIZE - at.y)];
	};
	const measure = () => {
		const outputs = names === "V" ? (fig.seen("output") ?? []).flat().filter(finite) : [];
		const numbers = [...names].flatMap((name) => fig.state[name].flat()).concat(outputs);
		high = reach(numbers, 2);
		low = names === "V" && numbers.every((v) => v >= 0) ? 0 : -high;
		const step = (high / String(high)[0]) * [0.5, 1, 1, 0, low ? 2 : 1][String(high)[0] - 1];
		let lines = "";
		ticks.replaceChildren();
		for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
			const at = pixel(v);
			lines += `M${at} 0V${height}${flat ? "" : `M0 ${SIZE - at}H${SIZE}`}`;
			add(ticks, "text.tick-x", { x: at, y: height - 5, text: full(v) });
			if (!flat && v) add(ticks, "text", { x: 4, y: SIZE - at + 4, text: full(v) });
		}
		put(grid, { d: lines });
		put(axes, { d: flat ? `M0 60H${SIZE}` : `M${pixel(0)} 0V${SIZE}M0 ${SIZE - pixel(0)}H${SIZE}M0 0H${SIZE}V${SIZE}H0z` });
	};
	return { root, x, y, back, measure, width: SIZE, at: (row) => `${x(row)} ${y(row)}`, layer: add(root, "g") };
}

// Letters beside their points: the first of eight places that hits nothing put before, and none of the lines.
function placeLetters(items, lines) {
	const taken = items.map(({ x, y }) => [x - 7, y - 7, x + 7, y + 7]);
	for (const [from, to] of lines)
		for (let part = 0; part <= 1; part += 1 / 16) taken.push([0, 1, 0, 1].map((c) => from[c] + part * (to[c] - from[c])));
	for (const { node, x, y, dx = 1, dy = -1, wide = 22 } of items) {
		let best = { cost: Infinity };
		for (const turn of [0, 0.8, -0.8, 1.6, -1.6, 2.4, -2.4, 3.1]) {
			const angle = Math.atan2(dy, dx) + turn;
			const [cx, cy] = [x + Math.cos(angle) * (12 + wide / 2), y + Math.sin(angle) * 22];
			const box = [cx - wide / 2, cy - 8, cx + wide / 2, cy + 8];
			const outside = Math.min(box[0], box[1]) < 2 || Math.max(box[2], box[3]) > SIZE - 2;
			const hits = taken.filter((b) => box[0] < b[2] && box[2] > b[0] && box[1] < b[3] && box[3] > b[1]).length;
			if (hits + 5 * outside < best.cost) best = { cost: hits + 5 * outside, cx, cy, box };
			if (!best.cost) break;
		}
		taken.push(best.box);
		put(node, { x: best.cx, y: best.cy + 4.5 });
	}
}

// Queries and keys as arrows from the origin (d_k = 2).
function addressing(fig) {
	const view = plane(fig, "QK", "Addressing: queries and keys");
	const ghost = add(view.layer, "path.ghost");
	const shafts = ["Q", "K"].flatMap((name) => fig.state[name].map((_, i) => [name, i, add(view.layer, `path.shaft.${name}`)]));
	const arrows = shafts.map(([name, i, shaft]) => {
		const label = letter(view.layer, name, LETTERS[name][0], i);
		const [node, tell] = handle(view.layer, fig, name, i, view.back);
		const disc = add(node, "circle.disc", { r: 8 });
		return { name, i, shaft, label, tell, disc, head: add(node, "path.head", { d: "M0 0L-11 -5L-11 5z" }) };
	});
	const update = () => {
		const origin = [view.x([0, 0]), view.y([0, 0])];
		let pinned = "";
		const items = arrows.map(({ name, i, shaft, label, tell, disc, head }) => {
			const row = fig.state[name][i];
			const then = fig.pinned?.state[name][i];
			const [x, y] = [view.x(row), view.y(row)];
			const [dx, dy] = [x - origin[0], y - origin[1]];
			const lit = name === "K" || i === fig.row;
			put(shaft, { d: `M${origin}L${x} ${y}`, "data-lit": lit, "data-out": name === "K" && !fig.may(i) });
			put(disc, { cx: x, cy: y });
			put(head, { transform: `translate(${x} ${y}) rotate(${(Math.atan2(dy, dx) * 180) / Math.PI})` });
			put(label, { "data-lit": lit });
			if (then && String(then) !== String(row)) pinned += `M${origin}L${view.at(then)}`;
			tell(row);
			return { node: label, x, y, dx: dx || 1, dy };
		});
		put(ghost, { d: pinned });
		placeLetters(items, items.map(({ x, y }) => [origin, [x, y]]));
	};
	return { ...view, update };
}

// Values as squares, the hull of the permitted ones, each output where its weights put it (d_v = 1 or 2).
function content(fig) {
	const { Q, V } = fig.state;
	const flat = V[0].length === 1;
	const view = plane(fig, "V", "Content: values and outputs", flat);
	const outline = add(view.layer, "path.hull-all");
	const filled = add(view.layer, flat ? "path.stretch" : "path.hull");
	const ghost = add(view.layer, "path.ghost");
	const joins = V.map(() => add(view.layer, "path.join"));
	const outputs = Q.map((_, i) => [letter(view.layer, "out", "out", i), add(view.layer, "circle.output")]);
	const values = V.map((_, j) => {
		const label = letter(view.layer, "V", "v", j);
		const [node, tell] = handle(view.layer, fig, "V", j, view.back);
		return { label, tell, square: add(node, "rect.square", { width: 14, height: 14 }) };
	});
	const drop = flat ? 32 : 0;
	const shape = (rows) => rows.length && `M${hull(flat ? rows.map(([v]) => [v, 0]) : rows).map(view.at).join("L")}z`;
	const update = () => {
		const { V } = fig.state;
		const out = fig.seen("output") ?? [];
		const weights = fig.seen("weights")?.[fig.row] ?? [];
		const end = out[fig.row];
		const lines = [];
		put(outline, { d: (!flat && shape(V)) || "" });
		put(filled, { d: (fig.outputs && shape(V.filter((_, j) => fig.may(j)))) || "" });
		const items = V.map((row, j) => {
			const [x, y] = [view.x(row), view.y(row)];
			const { label, tell, square } = values[j];
			put(square, { x: x - 7, y: y - 7, "data-out": !fig.may(j) });
			tell(row);
			const joined = !flat && end?.every(finite) && weights[j] > 0;
			if (joined) lines.push([[x, y], [view.x(end), view.y(end)]]);
			put(joins[j], { d: joined ? `M${x} ${y}L${view.at(end)}` : "", "stroke-width": 1 + 7 * clamp(weights[j] || 0, 0, 1) });
			return { node: label, x, y, dx: flat ? 0 : 1 };
		});
		outputs.forEach(([label, dot], i) => {
			const there = out[i]?.every(finite);
			for (const node of [label, dot]) put(node, { "data-lit": i === fig.row, visibility: there ? "visible" : "hidden" });
			if (!there) return;
			const [x, y] = [view.x(out[i]), view.y(out[i]) + drop];
			put(dot, { cx: x, cy: y, r: i === fig.row ? 8 : 6 });
			items.push({ node: label, x, y, dx: flat ? 1 : -1, dy: 0, wide: 34 });
		});
		const { state, results } = fig.pinned ?? {};
		const left = [...(state?.V ?? []), ...(out.length ? (results?.output ?? []) : [])].filter((row) => row.every(finite));
		put(ghost, { d: left.map((row) => `M${view.x(row) - 6} ${view.y(row)}h12m-6 -6v12`).join("") });
		placeLetters(items, lines);
	};
	return { ...view, update };
}
