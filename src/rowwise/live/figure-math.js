// Scaled dot-product attention, stage by stage, as rowwise.reference computes it.

const STAGES = ["scores", "scaled", "masked", "weights", "output"];

const finite = Number.isFinite;
const dot = (a, b) => a.reduce((sum, x, c) => sum + x * b[c], 0);

// Softmax of one row, its own maximum taken away first; a row with nothing permitted is all 0.
function softmax(row) {
	const largest = Math.max(...row);
	const e = row.map((s) => Math.exp(s - (largest === -Infinity ? 0 : largest)));
	const total = e.reduce((sum, x) => sum + x, 0);
	return e.map((x) => x / (total === 0 ? 1 : total));
}

// Every stage of one state {Q, K, V, mask, scale}. V may be null: then there is no output.
function compute({ Q, K, V, mask, scale }) {
	const root = scale ? Math.sqrt(Q[0].length) : 1;
	const scores = Q.map((q) => K.map((k) => dot(q, k)));
	const scaled = scores.map((row) => row.map((s) => s / root));
	const masked = scaled.map((row, i) => row.map((s, j) => (mask[i][j] ? s : -Infinity)));
	const weights = masked.map(softmax);
	const output = V && weights.map((w) => V[0].map((_, c) => dot(w, V.map((v) => v[c]))));
	return { scores, scaled, masked, weights, output };
}

const near = (a, b) => Object.is(a, b) || Math.abs(a - b) <= 1e-12 * Math.min(1e300, Math.abs(a) + Math.abs(b));

// Which numbers of b differ from a: booleans of the same shape.
const differs = (a, b) => b.map((row, i) => row.map((x, j) => !near(a[i][j], x)));

// The corners of the convex hull of points in the plane, in order (Andrew's monotone chain).
function hull(points) {
	const p = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
	if (p.length < 3) return p;
	const turns = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]) > 0;
	const half = (side) => {
		const chain = [];
		for (const q of side) {
			while (chain.length > 1 && !turns(chain.at(-2), chain.at(-1), q)) chain.pop();
			chain.push(q);
		}
		return chain.slice(0, -1);
	};
	return [...half(p), ...half(p.reverse())];
}
