// Several items, of a batch, of heads or of both: one is drawn, and the others are there and stand still.

// Its items in order, the last axis fastest, as NumPy lays them out.
const itemOf = (where, sizes) => where.reduce((n, i, a) => n * sizes[a] + i, 0);
const whereOf = (n, sizes) => sizes.map((size, a) => Math.floor(n / sizes.slice(a + 1).reduce((x, y) => x * y, 1)) % size);

// The largest change of any weight or output from one list of states to another.
function largestChange(before, after) {
	const numbers = (state) => {
		const { weights, output } = compute(state);
		return [weights, output ?? []].flat(2);
	};
	const changes = after.flatMap((state, n) => {
		const then = numbers(before[n]);
		return numbers(state).map((x, i) => Math.abs(x - then[i]));
	});
	return Math.max(0, ...changes);
}

// A model for the figure of item n: its state is one of the list, everything else is shared.
function itemModel(model, n) {
	const heard = new Map();
	const own = () => model.get("states")[n];
	return {
		frozen: model.frozen,
		get(name) {
			if (name === "state") return own();
			if (name === "options") return { ...model.get("options"), initial: model.get("options").initials[n] };
			return model.get(name);
		},
		set(name, value) {
			if (name !== "state") return model.set(name, value);
			model.set("states", model.get("states").map((state, k) => (k === n ? value : state)));
		},
		on(event, act) {
			if (event !== "change:state") return model.on(event, act);
			// Another item's move is none of this one's.
			let last = JSON.stringify(own());
			const moved = () => {
				const now = JSON.stringify(own());
				if (now !== last) act();
				last = now;
			};
			heard.set(act, moved);
			model.on("change:states", moved);
		},
		off: (event, act) => (event === "change:state" ? model.off("change:states", heard.get(act)) : model.off(event, act)),
		save_changes: () => model.save_changes(),
	};
}

class Item extends Figure {
	settle() {
		super.settle();
		this.model.settled?.(this);
	}
}

class Batch {
	constructor(model, el) {
		Object.assign(this, { model, figures: new Map() });
		this.axes = model.get("options").axes;
		this.sizes = this.axes.map(([, size]) => size);
		this.root = add(el, "div.figure.attention.batch", { role: "group", "aria-label": "Attention in several items" });
		const bar = add(this.root, "div.bar");
		this.menus = this.axes.map(([name, size], a) => this.menu(add(bar, "label.axis", {}, name), size, a));
		this.others = add(bar, "p.others", { role: "status" });
		this.before = model.get("states");
		this.leave = () => model.off("change:chosen", this.open);
		model.on("change:chosen", this.open);
		this.open();
	}

	menu(label, size, axis) {
		const menu = add(label, "select.box", { "aria-label": label.textContent });
		menu.dataset.lmSuppressShortcuts = "true";
		for (let i = 0; i < size; i++) add(menu, "option", { value: i, text: String(i) });
		menu.onchange = () => {
			const where = whereOf(this.model.get("chosen"), this.sizes);
			where[axis] = Number(menu.value);
			this.model.set("chosen", itemOf(where, this.sizes));
			this.model.save_changes();
			this.open();
		};
		return menu;
	}

	// Show the chosen item; the pictures of the others keep their place, their pins and their undo.
	open = () => {
		const n = this.model.get("chosen");
		whereOf(n, this.sizes).forEach((i, a) => (this.menus[a].value = i));
		if (!this.figures.has(n)) {
			const place = add(this.root, "div.item");
			const own = itemModel(this.model, n);
			const figure = new Item(own, place);
			own.settled = (moved) => this.settled(n, moved.state);
			this.figures.set(n, { place, figure });
		}
		for (const [k, { place }] of this.figures) place.hidden = k !== n;
		put(this.others, `Drawn: ${this.named(n)}. Axes count from 0.`);
	};

	named(n) {
		return whereOf(n, this.sizes).map((i, a) => `${this.axes[a][0]} ${i}`).join(", ");
	}

	// A move has ended in item n: what became of the others is computed, not taken for granted.
	settled(n, state) {
		const now = this.model.get("states").map((s, k) => (k === n ? copy(state) : s));
		const rest = (states) => states.filter((_, k) => k !== n);
		const change = largestChange(rest(this.before), rest(now));
		this.before = now;
		const count = rest(now).length;
		const others = count === 1 ? "The other item" : `The ${count} other items`;
		const what = change === 0 ? "nothing moved" : "something moved";
		const most = `the largest change of a weight${state.V ? " or output" : ""} there is ${three(change)}`;
		put(this.others, `You moved ${this.named(n)}. ${others}: ${what}; ${most}.`);
	}

	stop() {
		this.leave();
		for (const { figure } of this.figures.values()) figure.leave();
	}
}

function renderBatch({ model, el }) {
	const batch = new Batch(model, el);
	return () => batch.stop();
}

export { itemOf, largestChange, whereOf };
export default { render: renderBatch };
