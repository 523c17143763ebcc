"""Three attention heads of a trained model, on four sentences: the data of chapters 07 and 08.

Layers and heads count from 0. Model, licence and what was changed: README.md in assets/real-heads, beside
this file.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

import numpy as np

from rowwise import reference

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
HEADS = ((2, 1), (0, 2), (0, 10))
SENTENCES = (
    "The film was not good.",
    "The film was not long.",
    "The keys to the cabinet are missing.",
    "She sat on the bank of the river.",
)
HOWS = ("zero", "mean", "swap", "mask")
SCOPES = ("head", "sub-layer", "layer", "sentence")


@dataclass(frozen=True, eq=False)
class Head:
    """One head on one sentence of T word pieces. All arrays are float32.

    ``x`` (T, 384) enters the layer; ``Wq``, ``Wk``, ``Wv`` (384, 32) with biases ``bq``, ``bk``, ``bv`` (32,)
    make queries, keys and values; ``Wo`` (32, 384) is this head's part of W_O; ``rest`` (T, 384) is the
    residual, the output bias and the other eleven heads. ``weights_ref``, ``output_ref`` and
    ``sub_layer_ref`` are what another program found.
    """

    layer: int
    head: int
    sentence: str
    tokens: tuple[str, ...]
    x: np.ndarray
    Wq: np.ndarray
    bq: np.ndarray
    Wk: np.ndarray
    bk: np.ndarray
    Wv: np.ndarray
    bv: np.ndarray
    Wo: np.ndarray
    rest: np.ndarray
    ln_gain: np.ndarray
    ln_bias: np.ndarray
    ln_eps: float
    weights_ref: np.ndarray
    output_ref: np.ndarray
    sub_layer_ref: np.ndarray
    effects: np.ndarray
    donor: str | None

    @property
    def Q(self) -> np.ndarray:
        """The queries, shape (T, 32)."""
        return self.x @ self.Wq + self.bq

    @property
    def K(self) -> np.ndarray:
        """The keys, shape (T, 32)."""
        return self.x @ self.Wk + self.bk

    @property
    def V(self) -> np.ndarray:
        """The values, shape (T, 32)."""
        return self.x @ self.Wv + self.bv

    @property
    def weights(self) -> np.ndarray:
        """The attention weights, shape (T, T)."""
        return reference.weights(self.Q, self.K)

    def sub_layer(self, output: np.ndarray) -> np.ndarray:
        """What the attention sub-layer gives when this head's output is ``output`` (T, 32); shape (T, 384).

        LayerNorm comes after the residual sum, as in the model.
        """
        y = self.rest + output @ self.Wo
        centred = y - y.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self.ln_eps)
        return centred / spread * self.ln_gain + self.ln_bias

    def index(self, token: str | int) -> int:
        """The position of a word piece: its first occurrence, or the number itself."""
        if isinstance(token, str) and token in self.tokens:
            return self.tokens.index(token)
        if not isinstance(token, str) and 0 <= token < len(self.tokens):
            return int(token)
        places = ", ".join(f"{i} {piece}" for i, piece in enumerate(self.tokens))
        raise ValueError(f"no word piece {token!r} in this sentence; its word pieces are {places}")

    def measured(self, query: str | int, key: str | int, how: str, scope: str = "layer") -> float:
        """How far ``query`` moves when the content behind ``key`` is edited, as measured with the whole
        model.

        how: "zero", "mean", "swap" or "mask". scope: "head", "sub-layer" or "layer" for the relative change
        of that token's row, "sentence" for the cosine distance of the sentence's embedding.
        """
        if how == "swap" and self.donor is None:
            raise ValueError(f"no sentence of the same length to swap a value from, for {self.sentence!r}")
        where = choice("how", how, HOWS), self.index(query), self.index(key), choice("scope", scope, SCOPES)
        return float(self.effects[where])

    def controls(self, query: str | int, key: str | int) -> list[int]:
        """The other keys of the same kind as ``key`` (word, punctuation or special token), to compare it
        with.

        The query's own position is among them: it is a key like the others.
        """
        chosen = self.index(key)
        self.index(query)
        return [i for i, token in enumerate(self.tokens) if i != chosen and kind(token) == kind(self.tokens[chosen])]


def kind(token: str) -> str:
    """ "special" for [CLS] and [SEP], "punctuation", or "word"."""
    if token.startswith("["):
        return "special"
    return "word" if token.isalnum() else "punctuation"


def choice(name: str, value: str, among: tuple[str, ...]) -> int:
    """The position of a named choice, or a ValueError that lists them."""
    if value not in among:
        raise ValueError(f"{name} is {value!r}, but it is one of {', '.join(map(repr, among))}")
    return among.index(value)


@cache
def arrays() -> dict[str, np.ndarray]:
    """Every array of the shipped file, by name; read once and kept."""
    with as_file(files("rowwise") / "assets" / "real-heads" / "heads.npz") as path, np.load(path) as file:
        loaded = {name: file[name] for name in file}
    for array in loaded.values():
        array.flags.writeable = False
    return loaded


def load(layer: int = 2, head: int = 1, sentence: int | str = 0) -> Head:
    """One of the three heads on one of the four sentences, which is named by its number or its text.

    Raises ValueError for any other, and says which there are.
    """
    if (layer, head) not in HEADS:
        there = ", ".join(f"layer {a} head {b}" for a, b in HEADS)
        raise ValueError(f"layer {layer} head {head} is not here; there are {there} (counted from 0)")
    if sentence in SENTENCES:
        number = SENTENCES.index(sentence)
    elif isinstance(sentence, int) and 0 <= sentence < len(SENTENCES):
        number = sentence
    else:
        there = "; ".join(f"{i} {text}" for i, text in enumerate(SENTENCES))
        raise ValueError(f"no sentence {sentence!r}; there are: {there}")
    A, name, mine = arrays(), f"L{layer}H{head}", f"s{number}_L{layer}H{head}"
    donor = int(A["donors"][number])
    return Head(
        layer=layer,
        head=head,
        sentence=SENTENCES[number],
        tokens=tuple(map(str, A[f"s{number}_tokens"])),
        x=A[f"s{number}_L{layer}_x"],
        **{part: A[f"{name}_{part}"] for part in ("Wq", "bq", "Wk", "bk", "Wv", "bv", "Wo")},
        rest=A[f"{mine}_rest"],
        ln_gain=A[f"L{layer}_ln_gain"],
        ln_bias=A[f"L{layer}_ln_bias"],
        ln_eps=float(A["ln_eps"]),
        weights_ref=A[f"{mine}_P_ref"],
        output_ref=A[f"{mine}_o_ref"],
        sub_layer_ref=A[f"s{number}_L{layer}_y_ref"],
        effects=A[f"{mine}_effects"],
        donor=None if donor < 0 else SENTENCES[donor],
    )
