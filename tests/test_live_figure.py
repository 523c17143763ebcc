"""The live figure without a browser: its mathematics, its words, its state, and what it refuses."""

import json
import shutil
import subprocess

import numpy as np
import pytest

from rowwise import live, reference
from rowwise.live.figure import PARTS
from rowwise.live.widget import text_of

MODULE = text_of(*(f"figure{part}.js" for part in PARTS))
Q, K, V = [[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 4.0]]


def node(expression: str, cases: list) -> list:
    """What the module's expression of x is for each case; infinities and NaN come as strings."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed, so the JavaScript can't be run without a browser")
    program = f"""
const url = "data:text/javascript;base64," + Buffer.from({json.dumps(MODULE)}).toString("base64");
const module = await import(url);
const {{ {", ".join(EXPORTS)} }} = module;
const plainly = (_, v) => (typeof v === "number" && !Number.isFinite(v) ? String(v) : v);
const fs = await import("node:fs");
const read = (_, v) => (v === "Infinity" ? Infinity : v);
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0), read).map((x) => {expression}), plainly));
"""
    done = subprocess.run(
        ["node", "--input-type=module", "-e", program],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


EXPORTS = ["arithmetic", "compute", "hull", "short", "three", "whatChanged"]
# One line of arithmetic as text; what is raised stands after a ^.
LINE = "((a) => a.parts.map((p) => (typeof p === 'string' ? p : `^${p.sup}`)).join('') + three(a.result))"


def array(rows):
    return np.array([[float(x) for x in row] for row in rows])


def random_case(rng, kind):
    n_q, n_k, d_k, d_v = rng.integers(1, 7), rng.integers(1, 9), rng.integers(1, 9), rng.integers(1, 9)
    size = {"plain": 1.0, "extreme": 300.0, "tiny": 1e-8}[kind]
    Q, K = rng.normal(size=(n_q, d_k)) * size, rng.normal(size=(n_k, d_k)) * size
    mask = rng.random((n_q, n_k)) < rng.choice([0.3, 0.7, 1.0])
    if rng.random() < 0.3:
        mask[rng.integers(n_q)] = False
    return {"Q": Q, "K": K, "V": rng.normal(size=(n_k, d_v)) * 10, "mask": mask, "scale": bool(rng.random() < 0.8)}


def test_javascript_and_reference_agree_on_six_hundred_random_cases():
    rng = np.random.default_rng(20)
    cases = [random_case(rng, kind) for kind in ("plain", "extreme", "tiny") for _ in range(200)]
    plain = [{k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in c.items()} for c in cases]
    nothing_permitted = 0
    for case, got in zip(cases, node("compute(x)", plain), strict=True):
        S = reference.scores(case["Q"], case["K"])
        Z = reference.scaled_scores(case["Q"], case["K"]) if case["scale"] else S
        W = reference.softmax_rows(reference.masked_scores(Z, case["mask"]))
        nothing_permitted += int((~case["mask"].any(axis=1)).sum())
        expected = {"scores": S, "scaled": Z, "weights": W, "output": reference.mix_values(W, case["V"])}
        for stage, X in expected.items():
            np.testing.assert_allclose(array(got[stage]), X, rtol=1e-12, atol=1e-12, err_msg=stage)
        np.testing.assert_array_equal(array(got["masked"]) == -np.inf, ~case["mask"])
    assert nothing_permitted > 50


def test_scores_beyond_a_float_give_what_numpy_gives():
    case = {"Q": [[1e308, 1.0]], "K": [[10.0, 0.0], [1.0, 1.0]], "V": V, "mask": [[True, True]], "scale": True}
    (got,) = node("compute(x)", [case])
    assert got["scores"][0][0] == "Infinity"
    assert got["weights"][0] == ["NaN", "NaN"]


@pytest.mark.parametrize(
    ("stage", "i", "j", "said"),
    [
        ("scores", 0, 0, "1·1 + 0·0 = 1"),
        ("scaled", 0, 0, "1 / √2 = 1 / 1.414 = 0.707"),
        ("weights", 0, 0, "e^0.707 / (e^0.707 + e^0) = 2.028 / 3.028 = 0.670"),
        ("weights", 0, 1, "e^0 / (e^0.707 + e^0) = 1 / 3.028 = 0.330"),
        ("output", 0, 0, "0.670·2 + 0.330·0 = 1.34"),
        ("output", 0, 1, "0.670·0 + 0.330·4 = 1.32"),
    ],
)
def test_the_arithmetic_of_the_worked_example_is_what_a_pocket_calculator_gives(stage, i, j, said):
    state = {"Q": Q, "K": K, "V": V, "mask": [[True, True]], "scale": True}
    line = f"{LINE}(arithmetic('{stage}', {i}, {j}, x, compute(x)))"
    assert node(line, [state]) == [said]


def test_arithmetic_takes_the_largest_away_where_e_to_the_score_would_not_fit():
    state = {"Q": [[1000, 0]], "K": [[1, 0], [0.999, 0]], "V": V, "mask": [[True, True]], "scale": False}
    line = f"((a) => [{LINE}(a), a.note])(arithmetic('weights', 0, 1, x, compute(x)))"
    said, note = node(line, [state])[0]
    assert said == "e^−1 / (e^0 + e^−1) = 0.368 / 1.368 = 0.269"
    assert note == "1000, the row's largest, is taken away first"


def test_an_excluded_key_is_not_in_the_sum_and_the_arithmetic_says_so():
    state = {"Q": Q, "K": K, "V": V, "mask": [[True, False]], "scale": True}
    line = f"((a) => [{LINE}(a), a.note])(arithmetic('weights', 0, x.j, x.s, compute(x.s)))"
    assert node(line, [{"s": state, "j": 0}, {"s": state, "j": 1}]) == [
        ["e^0.707 / (e^0.707) = 2.028 / 2.028 = 1", "not in the sum: key 2"],
        ["0 / (e^0.707) = 0 / 2.028 = 0", "not in the sum: key 2"],
    ]


BASE = {
    "Q": [[1.2, 0.6], [-0.4, 1.1]],
    "K": [[1.4, 0.2], [0.3, 1.3], [-1.0, -0.6]],
    "V": [[2, 0], [0, 4], [3, 3]],
    "mask": [[True, True, False], [True, True, True]],
    "scale": True,
}
CHANGED = (
    "whatChanged({state: x[0], results: compute(x[0])}, {state: x[1], results: compute(x[1])},"
    " ['scores', 'scaled', 'masked', 'weights', 'output'])"
)


@pytest.mark.parametrize(
    ("edit", "changed", "still"),
    [
        (
            {"K": [[1.4, 0.2], [0.5, 1.3], [-1.0, -0.6]]},
            ["column 2 of the scores", "every permitted weight", "both outputs"],
            ["queries", "values", "the mask", "the other scores"],
        ),
        (
            {"V": [[2, 0], [0, 40], [3, 3]]},
            ["both outputs"],
            ["queries", "keys", "the mask", "scores", "weights"],
        ),
        (
            {"Q": [[1.2, 0.6], [-0.4, 1.5]]},
            ["every score of row 2", "every permitted weight of row 2", "output 2"],
            ["keys", "values", "the mask", "the other scores", "the other weights", "the other outputs"],
        ),
        (
            {"mask": [[True, True, True], [True, True, True]]},
            ["the masked score of key 3 for query 1", "every weight of row 1", "output 1"],
            [
                "queries",
                "keys",
                "values",
                "scores",
                "the other masked scores",
                "the other weights",
                "the other outputs",
            ],
        ),
        (
            {"K": [[1.4, 0.2], [0.3, 1.3], [-1.0, 0.6]]},
            ["column 3 of the scores", "every permitted weight of row 2", "output 2"],
            ["queries", "values", "the mask", "the other scores", "the other weights", "the other outputs"],
        ),
        (
            {"scale": False},
            ["every scaled score", "every permitted weight", "both outputs"],
            ["queries", "keys", "values", "the mask", "scores"],
        ),
    ],
    ids=["a key", "a value", "a query", "a mask cell", "a key that one row may not see", "the scaling"],
)
def test_one_edit_changes_only_what_follows_from_it(edit, changed, still):
    (said,) = node(CHANGED, [[BASE, BASE | edit]])
    assert said["changed"] == changed
    assert said["still"] == still


def test_numbers_in_cells_stay_short_and_carry_a_true_minus_sign():
    numbers = [1 / 3, -1.5649, 0, -0.0001, 123.456, -9999, 1e308, -1e-300, 12345.678]
    expected = ["0.33", "−1.56", "0.00", "0.00", "123", "−9999", "1e308", "0.00", "1e4"]
    assert node("short(x)", numbers) == expected


def test_the_hull_keeps_the_corners_and_drops_what_lies_inside():
    points = [[0, 0], [4, 0], [2, 1], [4, 4], [0, 4], [2, 2]]
    (corners,) = node("hull(x)", [points])
    assert sorted(corners) == [[0, 0], [0, 4], [4, 0], [4, 4]]


def test_the_module_is_plain_and_small_and_downloads_nothing():
    assert len(MODULE.encode()) <= 48_000
    links = [line for line in MODULE.splitlines() if "http" in line]
    assert links == ['const NS = "http://www.w3.org/2000/svg";']
    assert "fetch(" not in MODULE and "import(" not in MODULE and "\nimport " not in MODULE
    assert max(map(len, MODULE.splitlines())) < 180, "lines that a person can read"


def test_lists_integers_and_float32_are_taken_and_never_changed():
    keys = np.array([[1, 0], [0, 1]], dtype=np.int64)
    values = np.array([[2, 0], [0, 4]], dtype=np.float32)
    fig = live.attention(Q, keys, values)
    fig.K = [[5, 5], [0, 1]]
    assert keys.tolist() == [[1, 0], [0, 1]]
    assert values.dtype == np.float32 and fig.V.dtype == float
    fig.K[0, 0] = 99
    assert fig.K[0, 0] == 5, "K is a copy of what is on the screen"


def test_a_move_in_the_browser_can_be_read_in_python():
    fig = live.attention(Q, K, V)
    fig.set_state({"state": fig.state | {"K": [[3.0, 0.0], [0.0, 1.0]], "n": 1, "by": "browser"}})
    np.testing.assert_array_equal(fig.K, [[3, 0], [0, 1]])


def test_stages_come_in_the_order_of_the_data():
    assert live.attention(Q, K, V, stages=("weights", "scores")).options["stages"] == ["scores", "weights"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"Q": np.ones((7, 2))}, ["Q has shape (7, 2)", "at most 6 rows", "Q[:6, :2]"]),
        ({"K": np.ones((9, 2)), "V": np.ones((9, 2))}, ["K has shape (9, 2)", "at most 8 rows", "K[:8, :2]"]),
        ({"Q": np.ones((1, 9)), "K": np.ones((2, 9))}, ["Q has shape (1, 9)", "8 columns", "Q[:1, :8]"]),
        ({"Q": [1.0, 0.0]}, ["Q has shape (2,)", "(n_q, d_k)", "Q[None, :]"]),
        ({"Q": 3.0}, ["Q has shape ()", "one vector a row."]),
        ({"K": [[1, 0], [1]]}, ["K has rows of different lengths", "(n_k, d_k)"]),
        ({"V": [["a", "b"], ["c", "d"]]}, ["V has dtype <U1", "real numbers"]),
        ({"fn": lambda S: S, "fn_stage": "softmax_rows", "stages": ("scores",)}, ["weights", "not among"]),
        ({"Q": np.ones((2, 3, 1, 2))}, ["Q has shape (2, 3, 1, 2)", "Q[0, 0]"]),
        ({"K": np.ones((2, 3))}, ["Q has shape (1, 2) and K has shape (2, 3)", "same width d_k"]),
        ({"V": np.ones((3, 2))}, ["V has shape (3, 2)", "2 keys", "V[:2]"]),
        ({"V": np.array([[1, 2], [3, None]], dtype=object)}, ["V has dtype object", "(2, 2)", "(n_k, d_v)"]),
        ({"Q": [[1j, 0]]}, ["Q has dtype complex128", "real numbers"]),
        ({"K": np.ones((0, 2))}, ["K has shape (0, 2)", "at least one row"]),
        ({"V": [[np.nan, 0], [0, 4]]}, ["V has shape (2, 2)", "row 0", "finite"]),
        ({"mask": [[True], [True]]}, ["mask has shape (2, 1)", "expected (1, 2)"]),
        ({"mask": [[0.0, -np.inf]]}, ["mask has dtype float64", "booleans", "mask == 0"]),
        ({"V": None}, ["V is None", "output"]),
        ({"stages": ("score",)}, ["score", "scores, scaled"]),
        ({"predict": {"question": "?", "stage": "wieghts"}}, ["wieghts", "weights"]),
        ({"fn": lambda Q, K: Q}, ["fn_stage"]),
    ],
    ids=lambda x: "" if isinstance(x, list) else "-".join(x),
)
def test_what_cannot_be_drawn_is_refused_by_name_with_what_was_expected(arguments, words):
    with pytest.raises(ValueError) as refused:
        live.attention(**({"Q": Q, "K": K, "V": V} | arguments))
    for word in words:
        assert word in str(refused.value)


def test_the_text_alternative_gives_every_row_of_every_shown_stage():
    fig = live.attention(Q, K, V, stages=("scores", "weights", "output"))
    data = fig._repr_mimebundle_()[0]
    assert "2 keys" in data["text/plain"]
    assert "scores 1.00, 0.00; weights 0.67, 0.33; output 1.34, 1.32" in data["text/plain"]
    assert "<p>Scaled dot-product attention" in data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in data


def test_a_question_hides_its_stage_from_the_text_alternative_too():
    ask = {"question": "Which key gets more?", "stage": "weights", "key": "test-alt"}
    assert "0.67" not in live.attention(Q, K, V, predict=ask).alt()


def test_an_answer_outlives_the_kernel(tmp_path, monkeypatch):
    monkeypatch.setenv("ROWWISE_HOME", str(tmp_path))
    ask = {"question": "Which weights change?", "choices": ["all", "none"]}
    live.attention(Q, K, V, predict=ask).set_state({"prediction": "none"})
    assert live.attention(Q, K, V, predict=ask).prediction == "none"
