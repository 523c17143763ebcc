"""live.head: what the figure computes of a real head is what the reference and the whole model say."""

import numpy as np
import pytest
from javascript import run

from rowwise import live, real_heads, reference
from rowwise.live.head_figure import data

EVERY = [(*head, i) for head in real_heads.HEADS for i in range(len(real_heads.SENTENCES))]
MAPS = data()["maps"]


def shown(layer, head, sentence):
    return MAPS[f"L{layer}H{head}"][sentence]


@pytest.mark.parametrize("how", ["zero", "mean", "mask"])
def test_javascript_and_a_plain_recalculation_agree_on_every_edit_of_every_cell(how):
    """o′ from scratch: the value replaced, or the key excluded before the softmax, and the row mixed anew."""
    for where in EVERY:
        h = real_heads.load(*where)
        Q, K, V = (array.astype(float) for array in (h.Q, h.K, h.V))
        expected = [
            [reference.content_removal(Q, K, V, query, key, how) for key in range(len(V))] for query in range(len(V))
        ]
        each = "x.P.map((_, q) => x.P.map((__, k) => edit(x.P, x.V, q, k, x.how).change))"
        inputs = {"P": reference.weights(Q, K).tolist(), "V": V.tolist(), "how": how}
        np.testing.assert_allclose(run("head_figure.js", each, [inputs])[0], expected, rtol=1e-7, atol=1e-12)


def test_a_swap_puts_the_other_sentences_value_in_its_place():
    it = shown(2, 1, 0)
    P, V, D = np.array(it["P"]), np.array(it["V"]), np.array(it["donor"])
    (found,) = run("head_figure.js", "edit(x.P, x.V, 4, 5, 'swap', x.donor).change", [it])
    o = P[4] @ V
    assert found == pytest.approx(np.linalg.norm(P[4, 5] * (D[5] - V[5])) / np.linalg.norm(o), rel=1e-12)


def test_what_is_computed_in_the_picture_is_what_the_whole_model_gave_at_the_head():
    cell = "edit(x.P, x.V, q, k, how, x.donor).change"
    each = f"Object.keys(x.effects).map((how) => x.P.map((_, q) => x.P.map((__, k) => {cell})))"
    for where in EVERY:
        it, h = shown(*where), real_heads.load(*where)
        (found,) = run("head_figure.js", each, [it])
        for ours, how in zip(found, it["effects"], strict=True):
            measured = h.effects[real_heads.HOWS.index(how), ..., 0]
            np.testing.assert_allclose(ours, measured, rtol=2e-2, atol=3e-4)


def test_weight_times_norm_empties_the_column_of_the_sink():
    """In layer 2 head 1 the brightest cells are on [CLS], whose value is small."""
    it = shown(2, 1, 0)
    P = np.array(it["P"])
    (product,) = run("head_figure.js", "weightTimesNorm(x.P, x.V)", [it])
    np.testing.assert_allclose(product, P * np.linalg.norm(it["V"], axis=1), rtol=1e-12)
    assert P[:, 0].max() > 0.9 and np.array(product)[:, 0].max() < 0.1


def test_a_control_is_of_the_same_kind_and_never_the_key_itself():
    for where in EVERY:
        tokens = shown(*where)["tokens"]
        h = real_heads.load(*where)
        for ours, key in zip(
            run("head_figure.js", "controls(x[0], x[1])", [[tokens, k] for k in range(len(tokens))]),
            range(len(tokens)),
            strict=True,
        ):
            assert ours == h.controls(0, key)


def test_a_row_whose_whole_weight_is_on_the_masked_key_becomes_zeros():
    (found,) = run(
        "head_figure.js", "[without(x[0], 0), edit([x[0]], x[1], 0, 0, 'mask').change]", [[[1, 0], [[3, 4], [1, 1]]]]
    )
    assert found == [[0, 0], 1]


def test_the_figure_quotes_the_measured_effects_to_three_digits():
    (found,) = run("head_figure.js", "compare(x, 4, 5, 'mask').measured", [shown(2, 1, 0)])
    assert [scope["mine"] for scope in found] == [0.261, 0.292, 0.0053]
    h = real_heads.load(2, 1, 0)
    assert found[1]["control"] == pytest.approx(
        np.median([h.measured("not", k, "mask") for k in h.controls("not", "good")]), rel=1e-2
    )


def test_the_figure_starts_on_the_brightest_cell_between_two_words_or_where_it_is_told():
    figure = live.head()
    assert (figure.query, figure.key) == (4, 5), "not → good"
    figure = live.head(0, 10, "She sat on the bank of the river.", "bank", "river", "mask")
    assert (figure.head, figure.sentence, figure.query, figure.key, figure.how) == ("L0H10", 3, 5, 8, "mask")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"layer": 1}, "layer 1 head 1 is not here; there are layer 2 head 1"),
        ({"sentence": 4}, "no sentence 4; there are: 0 The film"),
        ({"query": "cat"}, "no word piece 'cat'"),
        ({"how": "remove"}, "how is 'remove', but it is one of"),
        ({"sentence": 2, "how": "swap"}, "no sentence of the same length"),
    ],
)
def test_what_the_file_does_not_hold_is_answered_with_what_there_is(given, says):
    with pytest.raises(ValueError, match=says):
        live.head(**given)


def test_the_text_that_stands_in_for_the_picture_names_layer_head_and_edit():
    words = live.head(query="film", key="[CLS]", how="mask").alt()
    assert "Layer 2, head 1 (counted from 0)" in words
    assert "film → [CLS] 0.91" in words and "the layer's row by 0.175" in words
