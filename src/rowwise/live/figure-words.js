// What the figure says: numbers, the arithmetic of one cell, what a move changed, the account for a screen reader.

const minus = (text) => text.replaceAll("-", "−");

/** A number for a cell: two decimals while they fit. */
export function short(x) {
  if (x === null || x === undefined) return "–";
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  const size = Math.abs(x);
  if (size >= 9999.5) return minus(x.toExponential(0).replace("e+", "e"));
  const text = x.toFixed(size >= 999.95 ? 0 : size >= 99.995 ? 1 : 2);
  return minus(Number(text) === 0 ? text.replace("-", "") : text);
}

/** Three decimals, fewer where the number has no more: 0.67 is written 0.670 only where it was rounded. */
export function three(x) {
  if (!Number.isFinite(x)) return short(x);
  if (Math.abs(x) >= 1e6) return minus(x.toExponential(3).replace("e+", "e"));
  const text = x.toFixed(3);
  const exact = Math.abs(Number(text) - x) < 1e-9;
  const trimmed = exact ? String(Number(text)) : text;
  return minus(Number(text) === 0 ? trimmed.replace("-", "") : trimmed);
}

/** A number in full, as it is typed. */
export const full = (x) => (Number.isFinite(x) ? minus(String(Number(x.toPrecision(12)))) : short(x));

/** The number that `three` shows. */
const shown = (x) => (Number.isFinite(x) ? Number(three(x).replaceAll("−", "-")) : x);
const bracketed = (x) => (shown(x) < 0 ? `(${three(x)})` : three(x));

/** A sum of products and what a pocket calculator makes of the digits that stand there. */
function products(a, b) {
  const terms = a.map((x, c) => `${c ? bracketed(x) : three(x)}·${bracketed(b[c])}`);
  const sum = a.reduce((total, x, c) => total + shown(x) * shown(b[c]), 0);
  return { parts: [terms.join(" + "), " = "], result: sum };
}

const NAMES = { scores: "score", scaled: "scaled score", masked: "masked score", weights: "weight" };

export function cellName(stage, i, j) {
  if (stage === "output") return `output ${i + 1}, ${ordinal(j)} number`;
  return `${NAMES[stage]} of key ${j + 1} for query ${i + 1}`;
}

export function ordinal(c) {
  return ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"][c];
}

function keysNotInSum(mask) {
  const out = mask.flatMap((may, j) => (may ? [] : [j + 1]));
  if (!out.length) return "";
  return out.length === 1 ? `key ${out[0]} is masked: it is not in the sum` : `keys ${listed(out)} are masked: they are not in the sum`;
}

/** The arithmetic of one cell: {what, parts, result, note}; a part is text or {sup: text}. */
export function arithmetic(stage, i, j, state, results) {
  const what = cellName(stage, i, j);
  const before = (name) => results[name]?.[i];
  const absent = { what, parts: ["nothing to calculate from: the stage before is not there yet"], result: null, note: "" };
  if (stage === "scores") return { what, ...products(state.Q[i], state.K[j]), note: "" };
  if (stage === "scaled") {
    const s = before("scores")?.[j];
    if (s === undefined || s === null) return absent;
    if (!state.scale) return { what, parts: ["scaling is off: the score stays "], result: shown(s), note: "" };
    const root = Math.sqrt(state.K[0].length);
    const parts = [`${three(s)} / √${state.K[0].length} = ${three(s)} / ${three(root)} = `];
    return { what, parts, result: shown(s) / shown(root), note: "" };
  }
  if (stage === "masked") {
    const s = before("scaled")?.[j];
    if (s === undefined || s === null) return absent;
    if (state.mask[i][j]) return { what, parts: ["permitted: the scaled score stays "], result: shown(s), note: "" };
    return { what, parts: ["excluded: e", { sup: "−∞" }, " = 0, so the score becomes "], result: -Infinity, note: "" };
  }
  if (stage === "weights") return before("masked") ? { what, ...quotient(before("masked"), state.mask[i], j) } : absent;
  const w = before("weights");
  if (!w || w.some((x) => x === null)) return absent;
  const kept = w.flatMap((x, k) => (state.mask[i][k] || x !== 0 ? [k] : []));
  if (!kept.length) return { what, parts: ["nothing is permitted, so nothing is mixed: "], result: 0, note: "" };
  return { what, ...products(kept.map((k) => w[k]), kept.map((k) => state.V[k][j])), note: keysNotInSum(state.mask[i]) };
}

function quotient(row, mask, j) {
  const note = keysNotInSum(mask);
  const kept = row.flatMap((s, k) => (s === -Infinity ? [] : [k]));
  if (row.some((s) => s === null)) return { parts: ["the scores are not there yet"], result: null, note };
  if (!kept.length) return { parts: ["every key is excluded, there is nothing to share out: "], result: 0, note: "" };
  if (kept.some((k) => !Number.isFinite(row[k])))
    return { parts: ["a score of this row is more than a float can hold: "], result: NaN, note };
  // e to a large number does not fit on a pocket calculator: take the largest away first, as the code does.
  const largest = Math.max(...kept.map((k) => shown(row[k])));
  const shift = largest > 7 || largest < -4 ? largest : 0;
  const power = (k) => ["e", { sup: three(shown(row[k]) - shift) }];
  const value = (k) => shown(Math.exp(shown(shown(row[k]) - shift)));
  const total = kept.reduce((sum, k) => sum + value(k), 0);
  const below = kept.flatMap((k, n) => (n ? [" + ", ...power(k)] : power(k)));
  const top = kept.includes(j) ? power(j) : ["0"];
  const upper = kept.includes(j) ? value(j) : 0;
  const fraction = [...top, " / (", ...below, `) = ${three(upper)} / ${three(total)} = `];
  const taken = shift ? `the row's largest, ${three(shift)}, is taken away from each score first` : "";
  return { parts: fraction, result: upper / total, note: [taken, note].filter(Boolean).join("; ") };
}

export const plain = (parts) => parts.map((p) => (typeof p === "string" ? p : `^${p.sup}`)).join("");

function listed(items) {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

const indices = (flags) => flags.flatMap((f, i) => (f ? [i + 1] : []));

/** Names the changed cells of one stage: "column 2 of the scores". `live` are the cells that may change at all. */
function name(changed, noun, nouns, live) {
  const rows = changed.map((row) => row.some(Boolean));
  const all = changed.every((row, i) => row.every((c, j) => c || !live[i][j]));
  const some = live.some((row) => row.some((l) => !l)) ? "permitted " : "";
  if (all) return `every ${some}${noun}`;
  const columns = indices(changed[0].map((_, j) => changed.some((row) => row[j])));
  const whole = changed.every((row, i) => !rows[i] || row.every((c, j) => c || !live[i][j]));
  const where = indices(rows);
  if (whole) return `every ${some}${noun} of row${where.length > 1 ? "s" : ""} ${listed(where)}`;
  if (columns.length === 1) {
    const full = changed.every((row, i) => row[columns[0] - 1] || !live[i][columns[0] - 1]);
    return `column ${columns[0]} of the ${nouns}${full ? "" : ` in row${where.length > 1 ? "s" : ""} ${listed(where)}`}`;
  }
  const count = changed.flat().filter(Boolean).length;
  return `${count} of the ${nouns}, in row${where.length > 1 ? "s" : ""} ${listed(where)}`;
}

const NOUNS = { scores: ["score", "scores"], scaled: ["scaled score", "scaled scores"], masked: ["masked score", "masked scores"], weights: ["weight", "weights"] };

/** What one move did: {changed, still}, two lists of words. Stages that only repeat the one before are left out. */
export function whatChanged(before, after, stages) {
  const changed = [];
  const still = [];
  const others = [];
  const inputs = { queries: "Q", keys: "K", values: "V", "the mask": "mask" };
  for (const [word, key] of Object.entries(inputs)) {
    if (!after.state[key] || (key === "mask" && !stages.includes("masked"))) continue;
    if (JSON.stringify(before.state[key]) === JSON.stringify(after.state[key])) still.push(word);
  }
  let told = null;
  for (const stage of stages) {
    const [a, b] = [before.results[stage], after.results[stage]];
    if (!a || !b) continue;
    const d = differs(a, b);
    const any = d.flat().some(Boolean);
    if (stage === "output") {
      const rows = indices(d.map((row) => row.some(Boolean)));
      if (rows.length === d.length) changed.push({ 1: "the output", 2: "both outputs" }[d.length] ?? "every output");
      else if (rows.length) changed.push(`output${rows.length > 1 ? "s" : ""} ${listed(rows)}`);
      if (rows.length < d.length) (rows.length ? others : still).push(rows.length ? "the other outputs" : "outputs");
      continue;
    }
    const same = JSON.stringify(d);
    if ((stage === "scaled" || stage === "masked") && (!any || same === told)) continue;
    told = same;
    const [noun, nouns] = NOUNS[stage];
    if (!any) {
      still.push(nouns);
      continue;
    }
    const live = after.state.mask.map((row, i) => row.map((may, j) => stage === "scores" || stage === "scaled" || may || d[i][j]));
    changed.push(name(d, noun, nouns, live));
    if (d.some((row, i) => row.some((c, j) => !c && live[i][j]))) others.push(`the other ${nouns}`);
  }
  return { changed, still: [...still, ...others] };
}

/** The picture in words, for those who hear it. */
export function account(state, results, stages) {
  const lines = results.scores.map((_, i) => {
    const told = [];
    if (stages.includes("weights") && results.weights) {
      const none = state.mask[i].every((may) => !may);
      const each = results.weights[i].map((w, j) => `key ${j + 1} ${state.mask[i][j] ? short(w) : "excluded"}`);
      told.push(none ? "nothing is permitted, every weight is 0" : `weights ${each.join(", ")}`);
    } else {
      const last = stages.filter((s) => s !== "output" && results[s]).at(-1);
      if (last) told.push(`${NOUNS[last][1]} ${results[last][i].map((s, j) => `key ${j + 1} ${short(s)}`).join(", ")}`);
    }
    if (stages.includes("output") && results.output) told.push(`output ${results.output[i].map(short).join(", ")}`);
    return `Query ${i + 1}: ${told.join("; ")}.`;
  });
  return lines.join(" ");
}
