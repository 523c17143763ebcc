"""live.attention(): the whole of attention in one picture that moves."""

import contextlib
import hashlib

import numpy as np
import traitlets

from rowwise.live import arrays, student
from rowwise.live.student import STAGES
from rowwise.live.widget import Widget, text_of

PARTS = ("-math", "-words", "-panels", "-matrices", "-controls", "-save", "")


class Attention(Widget):
    """The figure. `Q`, `K`, `V` and `mask` are what is on the screen now; `prediction` is what was answered."""

    _esm = text_of(*(f"figure{part}.js" for part in PARTS))
    _css = text_of("look.css", "figure.css")

    state = traitlets.Dict().tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    trace = traitlets.Dict().tag(sync=True)
    prediction = traitlets.Unicode("").tag(sync=True)

    def __init__(self, state: dict, options: dict, fn=None):
        """state: Q, K, V, mask (lists) and scale; options: what the JavaScript needs to know once."""
        self._fn = fn
        self._key = ""
        super().__init__(state=state, options=options)
        if fn:
            self._retrace()
            self.observe(self._retrace, "state")
        if options["predict"]:
            self._key = options["predict"]["key"]
            self.prediction = recall(self._key)
            self.observe(lambda change: keep(self._key, change["new"]), "prediction")

    def _retrace(self, _=None):
        arrays_now = {name: getattr(self, name) for name in ("Q", "K", "V", "mask")}
        self.trace = student.trace(self._fn, self.options["fn"]["exercise"], **arrays_now, scale=self.state["scale"])

    def _set(self, **new):
        now = {name: new.get(name, getattr(self, name)) for name in ("Q", "K", "V", "mask")}
        shapes = {name: np.shape(X) for name, X in now.items()}
        checked = dict(zip(("Q", "K", "V", "mask"), arrays.check(**now), strict=True))
        for name in new:
            if checked[name] is not None and checked[name].shape != np.shape(getattr(self, name)):
                raise ValueError(
                    f"{name} has shape {shapes[name]}: this figure was drawn for {np.shape(getattr(self, name))}. "
                    "Make a new one with live.attention() for other shapes."
                )
        self.state = self.state | {name: checked[name].tolist() for name in new} | {"by": ""}

    @property
    def Q(self):
        """Queries (n_q, d_k), a copy; setting them moves the picture, as with K, V and mask."""
        return np.array(self.state["Q"], dtype=float)

    @Q.setter
    def Q(self, Q):
        self._set(Q=Q)

    @property
    def K(self):
        """Keys (n_k, d_k)."""
        return np.array(self.state["K"], dtype=float)

    @K.setter
    def K(self, K):
        self._set(K=K)

    @property
    def V(self):
        """Values (n_k, d_v), or None where the figure was given none."""
        return None if self.state["V"] is None else np.array(self.state["V"], dtype=float)

    @V.setter
    def V(self, V):
        self._set(V=V)

    @property
    def mask(self):
        """(n_q, n_k) booleans, True = may attend."""
        return np.array(self.state["mask"], dtype=bool)

    @mask.setter
    def mask(self, mask):
        self._set(mask=mask)

    @property
    def allow_difference(self) -> bool:
        """Whether the student may lay the right numbers beside those of `fn`."""
        return self.options["allow_difference"]

    @allow_difference.setter
    def allow_difference(self, allowed: bool):
        self.options = self.options | {"allow_difference": bool(allowed)}

    def alt(self) -> str:
        """The picture in words, row by row."""
        return in_words(self.state, self.options, self.prediction)


def in_words(state: dict, options: dict, prediction: str) -> str:
    """The picture of a state in words, row by row; what a question still hides is left out."""
    Q, K, V, mask = (None if state[name] is None else np.array(state[name]) for name in ("Q", "K", "V", "mask"))
    stages = student.reference_stages(Q, K, V, mask, state["scale"])
    stop = options["predict"]["stage"] if options["predict"] and not prediction else None
    shown = [s for s in options["stages"] if not stop or STAGES.index(s) < STAGES.index(stop)]
    n_q, n_k = mask.shape
    parts = [f"Scaled dot-product attention, {n_q} {'query' if n_q == 1 else 'queries'} and {n_k} keys."]
    for i in range(n_q):
        rows = [f"{s} {', '.join(_short(x) for x in stages[s][i])}" for s in shown]
        parts.append(f"Query {i + 1}: {'; '.join(rows)}." if rows else "")
    moves = "Run the notebook, or open its exported page, to move it."
    return " ".join(filter(None, [*parts, moves]))


def attention(
    Q, K, V=None, mask=None, stages=STAGES, *, scale=True, fn=None, fn_stage=None, allow_difference=False, predict=None
) -> Widget:
    """A live figure of softmax(Q Kᵀ / √d_k) V, stage by stage.

    Q (n_q ≤ 6, d_k ≤ 8), K (n_k ≤ 8, d_k), V (n_k, d_v ≤ 8) or None, mask (n_q, n_k) with True = may attend. The
    arrays are copied. With a head axis in front, or a batch and a head axis, one item is drawn and the reader chooses
    which; then there is no fn. stages: those of scores, scaled, masked, weights, output that are shown, always in that
    order. scale: whether the scores are divided by √d_k at first.

    fn: the student's function, named as its exercise (scores, scaled_scores, masked_scores, softmax_rows, mix_values,
    attention) or with fn_stage= saying which it is: the picture draws its numbers from its stage on.
    allow_difference: whether the right numbers may be laid beside them.

    predict: a question, or a dict with "question" and, as needed, "stage" (the first one that is hidden until there is
    an answer; the last of `stages` if not said), "choices" (a list of answers), "finding" (what stands beside the
    answer then) and "key" (under which the answer is kept). The figure's `prediction` is the answer, "" before.

    Raises ValueError naming the array, its shape, what was expected and how to slice it.
    """
    stages = _ordered(stages)
    if "output" in stages and V is None:
        raise ValueError('stages has "output" and V is None: pass values V (n_k, d_v), or leave that stage out.')
    if np.ndim(Q) in (3, 4) and np.ndim(Q) == np.ndim(K):
        from rowwise.live import batch_figure

        if fn:
            raise ValueError(
                f"fn draws one item, and Q has shape {np.shape(Q)}: pass one, for instance Q[0], K[0], V[0]."
            )
        return batch_figure.attention(Q, K, V, mask, stages, bool(scale), _question(predict, stages))
    Q, K, V, mask = arrays.check(Q, K, V, mask)
    state = {"Q": Q, "K": K, "V": V, "mask": mask}
    state = {name: None if X is None else X.tolist() for name, X in state.items()} | {"scale": bool(scale)}
    exercise = student.exercise_of(fn, fn_stage) if fn else None
    if exercise and student.STAGE_OF[exercise] not in stages:
        raise ValueError(f"fn computes {student.STAGE_OF[exercise]!r}, which is not among the stages {stages}: add it.")
    if exercise in ("mix_values", "attention") and V is None:
        raise ValueError(f"{exercise} needs values and V is None: pass V (n_k, d_v).")
    options = {
        "stages": list(stages),
        "initial": state,
        "fn": exercise and {"exercise": exercise, "stage": student.STAGE_OF[exercise]},
        "allow_difference": bool(fn and allow_difference),
        "predict": _question(predict, stages),
    }
    return Attention(state, options, fn)


def _ordered(stages) -> tuple:
    asked = (stages,) if isinstance(stages, str) else tuple(stages)
    unknown = [s for s in asked if s not in STAGES]
    if unknown or not asked:
        raise ValueError(f"stages has {unknown or 'nothing'}: expected some of {', '.join(STAGES)}.")
    return tuple(s for s in STAGES if s in asked)


def _question(predict, stages) -> dict | None:
    if not predict:
        return None
    predict = {"question": predict} if isinstance(predict, str) else dict(predict)
    unknown = set(predict) - {"question", "stage", "choices", "finding", "key"}
    if unknown or not predict.get("question"):
        raise ValueError(
            f"predict has {sorted(unknown) or 'no question'}: expected question, stage, choices, finding, key."
        )
    predict.setdefault("stage", stages[-1])
    if predict["stage"] not in stages:
        raise ValueError(
            f"predict hides {predict['stage']!r}, which is not shown: expected one of {', '.join(stages)}."
        )
    predict.setdefault("key", "predict-" + hashlib.sha256(predict["question"].encode()).hexdigest()[:12])
    if "choices" in predict:
        predict["choices"] = [str(c) for c in predict["choices"]]
    return predict


def recall(key: str) -> str:
    """The answer given before, from the reader's own machine; "" where there is none."""
    from rowwise import progress

    return str(progress.recall(key, "") or "")


def keep(key: str, answer: str) -> None:
    """Keep an answer for the next time."""
    from rowwise import progress

    # A prediction that can't be kept is no reason to stop the figure.
    with contextlib.suppress(OSError):
        progress.keep(key, answer)


def _short(x: float) -> str:
    text = f"{x:.2f}" if np.isfinite(x) else {"inf": "∞", "-inf": "−∞"}.get(str(x), "NaN")
    return text.replace("-0.00", "0.00").replace("-", "−")
