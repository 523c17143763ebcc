// What the width d_k does to scores, weights and gradients, from real draws.
//
// The draws come from a seed by arithmetic that Python repeats exactly (scaling_figure.py), so the picture, its text and
// a test can speak of the same numbers. Draw n is a hash of n: any component can be had without those before it.

const ROWS = 250; // queries, each with four keys of its own
const KEYS = 4;
const NORMALS = ROWS * (1 + KEYS); // components drawn for each feature: one of the query, one of each key
const STRIDE = 32; // features between the sums that are kept
export const WIDEST = 1024;

/** Uniform draw n of a seed, strictly between 0 and 1: mulberry32 by Tommy Ettinger (public domain). */
export function uniform(seed, n) {
  let t = (Math.imul(seed, 0x9e3779b9) + Math.imul(n + 1, 0x6d2b79f5)) | 0;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
}

/** The 1250 components of one feature, normal with mean 0 and variance 1: query, key 1 … 4, next query, … (Box–Muller). */
export function components(seed, feature) {
  const drawn = new Float64Array(NORMALS);
  for (let i = 0; i < NORMALS; i += 2) {
    const n = feature * NORMALS + i;
    const radius = Math.sqrt(-2 * Math.log(uniform(seed, n)));
    const angle = 2 * Math.PI * uniform(seed, n + 1);
    drawn[i] = radius * Math.cos(angle);
    drawn[i + 1] = radius * Math.sin(angle);
  }
  return drawn;
}

/** Sums over the first d_k features, for any d_k up to 1024; a few are kept so that no move waits for all the others. */
export class Draws {
  constructor(seed) {
    this.seed = seed;
    this.kept = [{ qk: new Float64Array(ROWS * KEYS), q: new Float64Array(ROWS), k: new Float64Array(ROWS * KEYS) }];
  }

  sums(d_k) {
    const from = Math.min(Math.floor(d_k / STRIDE), this.kept.length - 1);
    const start = this.kept[from];
    const sum = { qk: start.qk.slice(), q: start.q.slice(), k: start.k.slice() };
    for (let feature = from * STRIDE; feature < d_k; feature++) {
      const drawn = components(this.seed, feature);
      for (let row = 0; row < ROWS; row++) {
        const at = row * (1 + KEYS);
        sum.q[row] += drawn[at];
        for (let key = 0; key < KEYS; key++) {
          sum.k[row * KEYS + key] += drawn[at + 1 + key];
          sum.qk[row * KEYS + key] += drawn[at] * drawn[at + 1 + key];
        }
      }
      if ((feature + 1) % STRIDE === 0 && (feature + 1) / STRIDE === this.kept.length) {
        this.kept.push({ qk: sum.qk.slice(), q: sum.q.slice(), k: sum.k.slice() });
      }
    }
    return sum;
  }

  /** The 1000 scores q·k, row after row, when every component has this mean: Σ (q + m)(k + m). */
  scores(d_k, mean = 0) {
    const { qk, q, k } = this.sums(d_k);
    return Array.from(qk, (s, i) => s + mean * (q[Math.floor(i / KEYS)] + k[i]) + mean * mean * d_k);
  }
}

export function softmax(row) {
  const largest = Math.max(...row);
  const e = row.map((s) => Math.exp(s - largest));
  const total = e.reduce((a, b) => a + b, 0);
  return e.map((x) => x / total);
}

/** diag(p) − p pᵀ: row i says how weight i answers to each score. */
export function jacobian(p) {
  // p (1 − p) as p times the sum of the others: 1 − p has few digits left when p is nearly 1.
  const own = (i) => p.reduce((sum, b, j) => (j === i ? sum : sum + p[i] * b), 0);
  return p.map((a, i) => p.map((b, j) => (i === j ? own(i) : -a * b)));
}

/** The size of a matrix: the root of the sum of its squares. */
export function norm(matrix) {
  return Math.sqrt(matrix.flat().reduce((sum, x) => sum + x * x, 0));
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Everything the picture shows of these scores, once divided by `divisor`. */
export function summary(scores, divisor) {
  const scaled = scores.map((s) => s / divisor);
  const mean = scaled.reduce((a, b) => a + b, 0) / scaled.length;
  const variance = scaled.reduce((sum, s) => sum + (s - mean) ** 2, 0) / scaled.length;
  const rows = Array.from({ length: ROWS }, (_, r) => scaled.slice(r * KEYS, (r + 1) * KEYS));
  const weights = rows.map(softmax);
  return {
    scores: scaled,
    mean,
    variance,
    rows,
    weights,
    largest: median(weights.map((p) => Math.max(...p))),
    jacobian: median(weights.map((p) => norm(jacobian(p)))),
  };
}

/** {plain, scaled}: the summary without and with the division by √d_k. */
export function compute(draws, d_k, mean = 0) {
  const scores = draws.scores(d_k, mean);
  return { plain: summary(scores, 1), scaled: summary(scores, Math.sqrt(d_k)) };
}
