// The figure: its state, its moves, its talk with Python.

const copy = (value) => JSON.parse(JSON.stringify(value));

class Figure {
	constructor(model, el) {
		Object.assign(this, { model, history: [], moves: {}, row: 0, coordinate: ["K", 0, 0] });
		this.options = model.get("options");
		this.state = copy(model.get("state"));
		this.id = `rw${Math.random().toString(36).slice(2)}`;
		this.stages = this.options.stages;
		this.outputs = this.stages.includes("output");
		this.cell = { stage: this.stages.filter((s) => s !== "output").at(-1) ?? "output", i: 0, j: 0 };
		this.results = this.calculate();
		this.build(el);
		this.listen();
	}

	// Every stage: computed here, or as Python sent it where a student's function has a part in it.
	calculate() {
		if (!this.options.fn) return compute(this.state);
		const read = (rows) => rows && rows.map((row) => row.map(Number));
		return Object.fromEntries(Object.entries(this.model.get("trace").stages).map(([stage, rows]) => [stage, read(rows)]));
	}

	hidden(stage) {
		const stop = this.options.predict?.stage;
		return stop && !this.model.get("prediction") && STAGES.indexOf(stage) >= STAGES.indexOf(stop);
	}

	seen(stage) {
		return this.hidden(stage) || !this.stages.includes(stage) ? null : this.results[stage];
	}

	// Whether the lit query may attend to key j.
	may(j) {
		return this.state.mask[this.row][j];
	}

	// The small second number of a cell: the difference from the right one, or the pinned one where it differs.
	under(stage, i, j) {
		const now = this.seen(stage)?.[i]?.[j] ?? null;
		const then = (this.right ?? this.pinned?.results)?.[stage]?.[i]?.[j] ?? null;
		if (now === null || then === null || short(now) === short(then)) return "";
		return this.right ? `${now > then ? "+" : ""}${short(now - then)}` : `(${short(then)})`;
	}

	// Moves. From `begin` to `finish` is one step of undo, compared with the state before it.

	begin() {
		if (this.open || this.frozen) return;
		this.open = true;
		this.before = this.now();
		this.history.push(this.before.state);
	}

	now() {
		return { state: copy(this.state), results: this.results };
	}

	set(name, i, row) {
		if (!this.open) return;
		this.state[name][i] = row;
		this.changed();
		this.draw();
	}

	move(change) {
		this.begin();
		if (!this.open) return;
		change(this.state);
		this.changed();
		this.settle();
	}

	toggle(i, j) {
		this.move((s) => (s.mask[i][j] = !s.mask[i][j]));
	}

	undo() {
		this.before = this.now();
		this.state = this.history.pop();
		this.changed();
		this.settle();
	}

	changed() {
		this.state.by = this.id;
		clearTimeout(this.later);
		if (this.options.fn) return this.send();
		this.results = compute(this.state);
		// What Python reads may lag a little: the picture does not wait for it.
		this.later = setTimeout(() => this.send(), 120);
	}

	// The end of a move: only now do the panels take a new scale.
	settle() {
		this.open = false;
		this.address.measure?.();
		this.content?.measure?.();
		this.draw();
	}

	look(stage, i, j) {
		this.cell = { stage, i, j };
		this.row = i;
		this.draw();
	}

	// A number was taken hold of: the slider now moves it.
	choose(name, i, c) {
		const [was, row, column] = this.coordinate;
		this.coordinate = [name, i, c ?? (was === name && row === i ? column : 0)];
		if (name === "Q") this.look(this.cell.stage, i, this.cell.j);
		else this.controls.update();
	}

	send(name = "state", value = copy(this.state)) {
		this.model.set(name, value);
		this.model.save_changes();
	}

	listen() {
		const { model } = this;
		const heard = {
			state: () => {
				if (model.get("state").by === this.id) return;
				this.before = this.now();
				this.state = copy(model.get("state"));
				if (!this.options.fn) this.results = compute(this.state);
				this.settle();
			},
			trace: () => ((this.results = this.calculate()), this.open ? this.draw() : this.settle()),
			options: () => this.draw((this.options = model.get("options"))),
			prediction: () => this.draw(),
		};
		const sizes = new ResizeObserver(() => this.layout());
		sizes.observe(this.root);
		for (const name in heard) model.on(`change:${name}`, heard[name]);
		this.leave = () => {
			for (const name in heard) model.off(`change:${name}`, heard[name]);
			clearTimeout(this.voice);
			sizes.disconnect();
		};
	}

	build(el) {
		const { K, V } = this.state;
		const [flat, small] = [K[0].length === 2, V?.[0].length < 3];
		this.planes = [...(flat ? "QK" : ""), ...(small ? "V" : "")];
		this.frozen = this.options.fn && this.model.frozen;
		this.root = add(el, "div.figure.attention", { role: "group", "aria-label": "Scaled dot-product attention" });
		if (this.options.predict) this.root.append((this.question = prediction(this)).root);
		const picture = add(this.root, "div.picture");
		const side = (kind, title, about, names, draw) => {
			const part = add(picture, `section.side.${kind}`);
			add(part, "h3.heading", title);
			add(part, "p.about", about);
			const panel = draw ? draw(this) : strips(part, this, names);
			if (draw) part.append(panel.root);
			return panel;
		};
		this.address = side("address", "Which keys are relevant?", "addressing: queries and keys", "QK", flat && addressing);
		this.matrices = matrices(this);
		const middle = add(picture, "div.middle", {}, this.matrices.root);
		this.line = add(middle, "div.arithmetic");
		this.tutor = add(middle, "div.tutor", { role: "status" });
		const about = `content: values${this.outputs ? " mixed by the row" : ", not mixed yet"}`;
		if (V) this.content = side("content", "What comes back?", about, "V", small && content);
		this.controls = controls(this);
		picture.append(this.controls.root);
		this.spoken = add(this.root, "p.spoken", { role: "status" });
		this.layout();
		this.settle();
	}

	// All in one row, or the panels left of the matrices, or above them: whatever the width allows.
	layout() {
		const width = this.root.clientWidth - 32;
		if (width <= 0 || width === this.width) return;
		this.width = width;
		const [left, right] = [this.address.width, this.content?.width ?? -36];
		const [wide, medium] = [width - left - right - 72, width - Math.max(left, right) - 36];
		const { total, least } = this.matrices;
		const how = total(48) <= wide ? "wide" : Math.max(least(54), Math.min(total(48), 440)) <= medium ? "medium" : "narrow";
		this.root.dataset.layout = how;
		this.matrices.layout({ wide, medium, narrow: width }[how]);
	}

	draw() {
		this.right = this.comparing ? compute(this.state) : null;
		this.moves = {};
		for (const stage of this.before ? this.stages : []) {
			const [then, now] = [this.before.results[stage], this.results[stage]];
			if (then && now) this.moves[stage] = differs(then, now);
		}
		for (const part of [this.address, this.content, this.matrices, this.controls, this.question]) part?.update();
		this.explain();
		this.advise();
		clearTimeout(this.voice);
		const seen = this.stages.filter((stage) => !this.hidden(stage));
		this.voice = setTimeout(() => put(this.spoken, account(this.state, this.results, seen)), 500);
	}

	// The arithmetic of the cell that is pointed at, else of the chosen one.
	explain() {
		const { stage, i, j } = this.hover ?? this.cell;
		const what = cellName(stage, i, j);
		const hidden = { parts: ["hidden until you have answered"], result: null };
		const { parts, result, note = "" } = this.hidden(stage) ? hidden : arithmetic(stage, i, j, this.state, this.results);
		const theirs = this.seen(stage)?.[i]?.[j] ?? null;
		const off = stage === this.options.fn?.stage && theirs !== null && !Object.is(theirs, result) && !(Math.abs(theirs - result) < 2e-3);
		const end = off ? `?  Your function gives ${three(theirs)}` : result === null ? "" : three(result);
		this.line.replaceChildren();
		add(this.line, "p.what", {}, add(null, "span", what), add(null, "span", note));
		const sum = parts.map((p) => (typeof p === "string" ? p : add(null, "sup", p.sup)));
		add(this.line, "p.sumline", {}, ...sum, add(null, "b", end));
	}

	// What a tutor would say of the student's numbers.
	advise() {
		const words = this.options.fn ? [...this.model.get("trace").words] : [];
		if (this.frozen) words.push("No kernel runs here: the picture stands as your function drew it.");
		if (this.advised === String(words)) return;
		this.advised = String(words);
		this.tutor.replaceChildren(...words.map((text) => add(null, "p", { text })));
	}
}

// Numbers in rows, for widths that no plane can show.
function strips(parent, figure, names) {
	const updates = [...names].map((name) => numbers(add(parent, "div.strip"), figure, name));
	return { width: Math.max(170, 56 * figure.state[names[0]][0].length), update: () => updates.forEach((one) => one()) };
}

function render({ model, el }) {
	const figure = new Figure(model, el);
	return () => figure.leave();
}

export { arithmetic, compute, hull, short, three, whatChanged };
export default { render };
