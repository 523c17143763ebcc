// What stands below the picture, and the question above it.

const numberName = (name, i, c) => `${LETTERS[name][1]} ${i + 1}, ${ordinal(c)} number`;

// A box for every number of Q, K or V. What is no number is said to be none, and changes nothing.
function numbers(parent, fig, name) {
	const rows = fig.state[name];
	const head = add(parent, "h3.heading", {}, add(null, `span.${name}`, name));
	add(head, "span.about", ` (${rows.length}, ${rows[0].length})`);
	const table = add(parent, "div.numbers", { style: `--rw-columns:${rows[0].length}` });
	const note = add(parent, "p.note", { role: "status" });
	const boxes = rows.flatMap((row, i) => row.map((_, c) => box(i, c)));
	function box(i, c) {
		const node = add(table, `input.box.${name}`, { inputmode: "decimal", "aria-label": numberName(name, i, c) });
		const value = () => fig.state[name][i][c];
		const show = () => (node.value = brief(value()));
		const write = (x) => x !== value() && fig.move((s) => (s[name][i][c] = x));
		node.onfocus = () => ((node.value = full(value())), fig.choose(name, i, c));
		node.onblur = show;
		node.onchange = () => {
			const typed = node.value.trim();
			const x = Number(typed.replaceAll("−", "-").replace(",", ".") || NaN);
			const good = finite(x);
			put(note, good ? "" : `${typed ? `“${typed}”` : "An empty box"} is no number to compute with: ${full(value())} stays.`);
			if (good) write(x);
			show();
		};
		node.onkeydown = (event) => {
			event.stopPropagation();
			if (event.key === "Enter") node.onchange();
			const by = ARROWS[event.key]?.[1];
			if (!by) return;
			event.preventDefault();
			write(tidy(value() + by * (event.shiftKey ? 0.01 : 0.1)));
			node.value = full(value());
		};
		return () => {
			if (document.activeElement !== node) show();
			put(node, { "data-chosen": String(fig.coordinate) === String([name, i, c]) });
		};
	}
	return () => boxes.forEach((update) => update());
}

function maskBoxes(parent, fig) {
	const { mask, K } = fig.state;
	add(add(parent, "h3.heading", "mask"), "span.about", " may attend");
	const table = add(parent, "div.numbers", { style: `--rw-columns:${K.length}` });
	const label = (i, j) => `query ${i + 1} may attend to key ${j + 1}`;
	const box = (i, j) => add(table, "input.tick", { type: "checkbox", "aria-label": label(i, j), onchange: () => fig.toggle(i, j) });
	const boxes = mask.map((row, i) => row.map((_, j) => box(i, j)));
	return () => boxes.forEach((row, i) => row.forEach((box, j) => (box.checked = fig.state.mask[i][j])));
}

// One slider, for the number that was last taken hold of.
function slider(parent, fig) {
	const label = add(parent, "p.slider-name");
	const input = add(parent, "input.range", { type: "range", step: 0.05 });
	const value = add(parent, "output.slider-value");
	input.oninput = () => {
		const [name, i, c] = fig.coordinate;
		fig.begin();
		fig.set(name, i, fig.state[name][i].map((x, k) => (k === c ? Number(input.value) : x)));
	};
	input.onchange = () => fig.open && fig.settle();
	input.onkeydown = (event) => event.stopPropagation();
	return () => {
		const [name, i, c] = fig.coordinate;
		const x = fig.state[name][i][c];
		const high = reach(fig.state[name].flat(), fig.open ? Number(input.max) : 2);
		const color = `accent-color: var(--rw-${LETTERS[name][1]})`;
		put(input, { min: -high, max: high, "aria-label": numberName(name, i, c), "aria-valuetext": full(x), style: color });
		if (Number(input.value) !== x) input.value = x;
		put(label, numberName(name, i, c));
		put(value, brief(x));
	};
}

// What the last move changed, the numbers, the mask, the slider and the buttons.
function controls(fig) {
	const { stages, state, options } = fig;
	const root = add(null, "div.move");
	const words = add(root, "div.last");
	add(words, "h3.heading", "Move it");
	add(words, "p.about", "drag, type, or use the arrow keys");
	const changes = add(words, "p.changes", { role: "status" });
	const updates = fig.planes.map((name) => numbers(add(root, "div"), fig, name));
	const masks = stages.includes("masked");
	if (masks) updates.push(maskBoxes(add(root, "div"), fig));
	const tools = add(root, "div.tools");
	updates.push(slider(add(tools, "div.slide"), fig));
	const [first, second] = [add(tools, "div.buttons"), add(tools, "div.buttons")];
	const button = (row, text, onclick) => add(row, "button.button", { text, onclick });
	const pin = button(first, "Pin", () => fig.draw((fig.pinned = fig.pinned ? null : fig.now())));
	const undo = button(first, "Undo", () => fig.undo());
	button(first, "Reset", () => fig.move((s) => Object.assign(s, copy(options.initial))));
	for (const kind of ["SVG", "PNG"]) button(first, `Save ${kind}`, () => save(fig, kind));
	const presets = { "no mask": () => true, causal: (i, j) => j <= i, padding: (_, j) => j < state.K.length - 1 };
	for (const [name, may] of Object.entries(masks ? presets : {}))
		button(second, name, () => fig.move((s) => (s.mask = s.mask.map((row, i) => row.map((_, j) => may(i, j))))));
	const toggle = (text, change) => {
		const label = add(second, "label.toggle");
		const box = add(label, "input", { type: "checkbox", onchange: () => change(box.checked) });
		label.append(text);
		return [label, box];
	};
	const [scaled, scale] = toggle("divide by √d_k", (on) => fig.move((s) => (s.scale = on)));
	const [compared] = toggle("difference from the right numbers", (on) => fig.draw((fig.comparing = on)));
	scaled.hidden = !stages.includes("scaled");
	const update = () => {
		updates.forEach((one) => one());
		put(pin, { "aria-pressed": Boolean(fig.pinned), text: fig.pinned ? "Unpin" : "Pin" });
		undo.disabled = !fig.history.length;
		scale.checked = fig.state.scale;
		compared.hidden = !fig.options.allow_difference;
		tellChanges(fig, changes);
	};
	return { root, update };
}

function tellChanges(fig, node) {
	const parts = [];
	if (fig.before) {
		const { changed, still } = whatChanged(fig.before, fig, fig.stages.filter((s) => !fig.hidden(s)));
		parts.push("Your last move changed ", add(null, "b", `${changed.join(", ") || "no number that is shown"}.`));
		if (still.length) parts.push(` Not changed: ${still.join(", ")}.`);
	}
	if (fig.pinned) parts.push(" Pinned numbers stand in brackets.");
	if (node.textContent !== parts.map((p) => p.textContent ?? p).join("")) node.replaceChildren(...parts);
}

// The question that hides a stage until it is answered; then the answer and what is so, side by side.
function prediction(fig) {
	const { question, choices, finding, stage } = fig.options.predict;
	const root = add(null, "section.predict", { "aria-label": "Predict" });
	add(root, "p", {}, add(null, "b", "Predict: "), question);
	const ask = add(root, "div.choices", { role: "group", "aria-label": question });
	const field = (value) => {
		const input = add(add(ask, "label.toggle"), "input", { type: "radio", name: fig.id, value });
		input.after(value);
		return input;
	};
	const fields = choices?.map(field) ?? [add(ask, "input.box.answer", { "aria-label": "Your prediction" })];
	const given = () => (choices ? (fields.find((f) => f.checked)?.value ?? "") : fields[0].value.trim());
	const commit = () => (fig.send("prediction", given()), said.focus());
	const send = add(ask, "button.button", { text: "Commit my answer", disabled: "", onclick: commit });
	for (const input of fields) {
		input.oninput = () => (send.disabled = !given());
		input.onkeydown = (event) => (event.stopPropagation(), event.key === "Enter" && given() && commit());
	}
	const why = add(root, "p.about", `Shown once you have answered: the ${stage}. Your answer is kept, never marked.`);
	const said = add(root, "div.said", { tabindex: -1 });
	const tell = (title, text) => add(said, "div", {}, add(null, "p.about", title), add(null, "p", { text }));
	const update = () => {
		const answer = fig.model.get("prediction");
		ask.hidden = why.hidden = Boolean(answer);
		if (!answer || said.firstChild) return;
		tell("You said", answer);
		tell("The picture shows", finding ?? `the ${stage} below: compare.`);
	};
	return { root, update };
}
