// What the figure says.

const minus = (text) => text.replace(/^-(?=[0.]+$)/, "").replaceAll("-", "−");

function odd(x) {
	return Number.isNaN(x) ? "NaN" : x > 0 ? "∞" : "−∞";
}

// A number for a cell: two decimals while they fit; – where there is none.
function short(x) {
	if (x === null) return "–";
	if (!finite(x)) return odd(x);
	const size = Math.abs(x);
	return minus(size >= 9999.5 ? x.toExponential(0).replace("+", "") : x.toFixed(size >= 99.995 ? 0 : 2));
}

// Three decimals; fewer only where they are exact: 0.5, but 0.670 for 0.6698.
function three(x) {
	if (!finite(x)) return odd(x);
	if (Math.abs(x) >= 1e6) return minus(x.toExponential(3).replace("+", ""));
	const text = x.toFixed(3);
	return minus(Math.abs(text - x) < 1e-9 ? String(Number(text)) : text);
}

// A number as it is typed, and what of it fits into a box.
const full = (x) => (finite(x) ? minus(String(Number(x.toPrecision(12)))) : odd(x));
const brief = (x) => (full(x).length > 5 ? short(x) : full(x));

// The number that `three` shows: a pocket calculator has no other.
const shown = (x) => (finite(x) ? Number(three(x).replaceAll("−", "-")) : x);

const ordinal = (c) => ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"][c];
const listed = (items) => [items.slice(0, -1).join(", "), ...items.slice(-1)].filter(Boolean).join(" and ");
const NOUNS = { scores: "score", scaled: "scaled score", masked: "masked score", weights: "weight" };

function cellName(stage, i, j) {
	return stage === "output" ? `output ${i + 1}, ${ordinal(j)} number` : `${NOUNS[stage]} of key ${j + 1} for query ${i + 1}`;
}

function products(a, b) {
	const factor = (x) => (shown(x) < 0 ? `(${three(x)})` : three(x));
	const terms = a.map((x, n) => `${n ? factor(x) : three(x)}·${factor(b[n])}`);
	return { parts: [`${terms.join(" + ")} = `], result: a.reduce((sum, x, n) => sum + shown(x) * shown(b[n]), 0) };
}

// e^s over the sum of all e^s; for scores that a calculator can't hold, their largest is taken away first.
function quotient(row, j) {
	const kept = row.filter((s) => s !== -Infinity);
	if (!kept.length) return { parts: ["every key is excluded: "], result: 0 };
	if (!kept.every(finite)) return { parts: ["a score of this row is more than a float can hold: "], result: NaN };
	const largest = Math.max(...kept.map(shown));
	const shift = largest > 7 || largest < -4 ? largest : 0;
	const power = (s) => ["e", { sup: three(shown(s) - shift) }];
	const value = (s) => (s === -Infinity ? 0 : shown(Math.exp(shown(shown(s) - shift))));
	const total = kept.reduce((sum, s) => sum + value(s), 0);
	const below = kept.flatMap((s, n) => (n ? [" + ", ...power(s)] : power(s)));
	const top = row[j] === -Infinity ? ["0"] : power(row[j]);
	return {
		parts: [...top, " / (", ...below, `) = ${three(value(row[j]))} / ${three(total)} = `],
		result: value(row[j]) / total,
		note: shift ? `${three(shift)}, the row's largest, is taken away first` : "",
	};
}

// The arithmetic of one cell from the numbers that are drawn: parts (text, or {sup}), their result, and a note.
function arithmetic(stage, i, j, { Q, K, V, mask, scale }, results) {
	const from = { scaled: "scores", masked: "scaled", weights: "masked", output: "weights" }[stage];
	const row = results[from]?.[i];
	if (from && !row?.every((x) => x !== null)) return { parts: ["the stage before has no numbers yet"], result: null };
	const out = mask[i].flatMap((may, k) => (may ? [] : [`key ${k + 1}`]));
	const note = out.length ? `not in the sum: ${listed(out)}` : "";
	if (stage === "scores") return products(Q[i], K[j]);
	if (stage === "scaled" && scale) {
		const [s, d] = [three(row[j]), K[0].length];
		return { parts: [`${s} / √${d} = ${s} / ${three(Math.sqrt(d))} = `], result: shown(row[j]) / shown(Math.sqrt(d)) };
	}
	if (stage === "scaled" || (stage === "masked" && mask[i][j])) return { parts: ["the score stays "], result: shown(row[j]) };
	if (stage === "masked") return { parts: ["excluded, and e", { sup: "−∞" }, " = 0: the score becomes "], result: -Infinity };
	if (stage === "weights") {
		const sum = quotient(row, j);
		return { ...sum, note: [sum.note, note].filter(Boolean).join("; ") };
	}
	const kept = row.flatMap((w, k) => (w === 0 && !mask[i][k] ? [] : [k]));
	if (!kept.length) return { parts: ["every key is excluded: "], result: 0 };
	return { ...products(kept.map((k) => row[k]), kept.map((k) => V[k][j])), note };
}

const numbersOf = (flags) => flags.flatMap((flag, i) => (flag ? [i + 1] : []));
const inRows = (rows) => `row${rows.length > 1 ? "s" : ""} ${listed(rows)}`;

// Names the changed cells of a stage: "column 2 of the scores". `live` are those that could change at all.
function nameCells(changed, live, stage) {
	const noun = NOUNS[stage];
	const rows = numbersOf(changed.map((row) => row.includes(true)));
	const columns = numbersOf(changed[0].map((_, j) => changed.some((row) => row[j])));
	const still = live.map((row, i) => row.map((could, j) => could && !changed[i][j]));
	if (stage === "output") {
		const all = { 1: "the output", 2: "both outputs" }[live.length] ?? "every output";
		return rows.length === live.length ? all : `output${rows.length > 1 ? "s" : ""} ${listed(rows)}`;
	}
	const count = changed.flat().filter(Boolean).length;
	if (count === 1) return `the ${cellName(stage, rows[0] - 1, columns[0] - 1)}`;
	const every = `every ${live.flat().includes(false) ? "permitted " : ""}${noun}`;
	if (!still.flat().includes(true)) return every;
	if (rows.every((i) => !still[i - 1].includes(true))) return `${every} of ${inRows(rows)}`;
	if (columns.length > 1) return `${count} ${noun}s in ${inRows(rows)}`;
	const whole = !still.some((row) => row[columns[0] - 1]);
	return `column ${columns[0]} of the ${noun}s${whole ? "" : ` in ${inRows(rows)}`}`;
}

// What a move did, {changed, still}, in words. A stage that only repeats the one before it is left out.
function whatChanged(before, after, stages) {
	const same = (name) => String(before.state[name]) === String(after.state[name]);
	const inputs = { queries: "Q", keys: "K", values: "V", ...(stages.includes("masked") && { "the mask": "mask" }) };
	const still = Object.keys(inputs).filter((word) => after.state[inputs[word]] && same(inputs[word]));
	const [changed, others] = [[], []];
	let told = false;
	for (const stage of stages) {
		const [then, now] = [before.results[stage], after.results[stage]];
		const own = { scaled: "scale", masked: "mask" }[stage];
		if (!then || !now || (told && own && same(own))) continue;
		told = true;
		const { mask } = after.state;
		const cells = differs(then, now).map((row) => (stage === "output" ? [row.includes(true)] : row));
		const live = cells.map((row, i) => row.map((c, j) => c || mask[i][j] || !/masked|weights/.test(stage) || (stage === "masked" && !same("mask"))));
		const nouns = `${NOUNS[stage] ?? "output"}s`;
		const any = cells.flat().includes(true);
		if (any) changed.push(nameCells(cells, live, stage));
		if (!any) still.push(nouns);
		else if (String(cells) !== String(live)) others.push(`the other ${nouns}`);
	}
	return { changed, still: [...still, ...others] };
}

// The picture in words, for those who hear it.
function account({ mask }, results, stages) {
	const last = stages.filter((stage) => stage !== "output" && results[stage]).at(-1);
	const told = results.scores?.map((_, i) => {
		const each = results[last]?.[i].map((x, j) => `key ${j + 1} ${mask[i][j] || /scores|scaled/.test(last) ? short(x) : "excluded"}`);
		const out = stages.includes("output") && results.output ? `; output ${results.output[i].map(short).join(", ")}` : "";
		return `Query ${i + 1}: ${last ? `${NOUNS[last]}s ${each.join(", ")}` : "hidden"}${out}.`;
	});
	return told?.join(" ") ?? "";
}
