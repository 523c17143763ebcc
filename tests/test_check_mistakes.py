"""Every mistake of the catalogue is refused and named; every honest right answer passes. The collection is tests/wrong."""

import sys
from pathlib import Path

import numpy as np
import pytest

from rowwise import exercises
from rowwise.probe import probe

sys.path.insert(0, str(Path(__file__).parent))
import wrong

# What the catalogue of mistakes asks for, by exercise. Kept here by hand, so that none can be lost.
SLUGS = {
    "scores": "transposed-scores queries-with-queries cosine-not-dot elementwise-not-dot",
    "scaled_scores": "transposed-scores cosine-not-dot no-scaling scaled-by-width scaled-wrong-way "
    "scaled-by-wrong-size",
    "softmax_rows": "softmax-down-columns softmax-over-everything sums-broadcast-wrong overflow global-maximum "
    "no-exponential wrong-base-or-temperature not-normalised log-weights softmax-twice argmax",
    "mix_values": "argmax transposed-mix mean-of-values weights-not-summed",
    "masked_scores": "mask-zeroes-scores mask-too-weak mask-times-infinity mask-added mask-inverted mask-ignored",
    "causal_mask": "mask-inverted causal-excludes-self causal-looks-ahead",
    "attention": "queries-with-queries cosine-not-dot values-in-scores no-scaling scaled-by-width scaled-wrong-way "
    "scaled-by-wrong-size scaled-output softmax-down-columns softmax-over-everything overflow softmax-twice argmax "
    "keys-as-values transposed-mix mean-of-values mask-after-softmax mask-then-renormalise mask-zeroes-scores "
    "mask-too-weak mask-times-infinity mask-added mask-inverted mask-transposed mask-ignored "
    "nothing-permitted-nan nothing-permitted-uniform extra-output",
    "self_attention": "projection-swapped no-projection keys-as-values extra-output scaled-by-wrong-size",
    "cross_attention": "projection-swapped no-projection keys-from-queries queries-from-memory",
    "split_heads": "reshape-for-transpose heads-interleaved",
    "merge_heads": "reshape-for-transpose heads-interleaved heads-averaged",
    "multi_head_attention": "heads-averaged no-output-projection scaled-by-model-width softmax-across-batch-or-heads "
    "transposed-batch extra-output",
    "content_removal": "removal-renormalised removal-measures-weights",
    "streaming_attention": "accumulator-not-rescaled block-outputs-averaged running-maximum-from-zero last-block-lost",
}
EVERYWHERE = {
    "inputs-changed",
    "fitted-to-the-example",
    "integer-truncation",
    "wrong-shape",
    "wrong-type",
    "raised",
}


def judged(written):
    exercise = exercises.ALL[written.exercise]
    return exercise.judge(probe(exercise.cases(), written.function))


@pytest.mark.parametrize("written", wrong.singles(), ids=lambda written: written.name)
def test_one_mistake_is_refused_and_named(written):
    mark = judged(written)
    assert mark.mistakes == written.mistakes
    assert float(mark) < mark.points
    assert len(mark.message) > 60


@pytest.mark.parametrize("written", wrong.rights(), ids=lambda written: written.name)
def test_an_honest_right_answer_gets_full_marks(written):
    mark = judged(written)
    assert (float(mark), mark.mistakes) == (mark.points, ()), mark.message


@pytest.mark.parametrize("written", wrong.pairs(), ids=lambda written: written.name)
def test_of_two_mistakes_at_once_one_is_named_and_never_a_third(written):
    mark = judged(written)
    assert mark.mistakes
    assert set(mark.mistakes) <= set(written.mistakes)
    assert float(mark) < mark.points


@pytest.mark.parametrize("name", SLUGS)
def test_the_collection_holds_every_mistake_of_the_catalogue_for(name):
    made = {slug for written in wrong.singles() if written.exercise == name for slug in written.mistakes}
    assert set(SLUGS[name].split()) <= made


def test_the_collection_makes_every_mistake_at_least_twice():
    slugs = {slug for listed in SLUGS.values() for slug in listed.split()} | EVERYWHERE
    made = [slug for written in wrong.singles() for slug in written.mistakes]
    assert {slug for slug in slugs if made.count(slug) < 2} == set()


def test_the_collection_is_large_enough():
    assert len(wrong.singles()) >= 120
    assert len(wrong.rights()) >= 60


@pytest.mark.parametrize("written", wrong.singles(), ids=lambda written: written.name)
def test_a_message_never_shows_the_right_row(written):
    exercise = exercises.ALL[written.exercise]
    mark = judged(written)
    for trial in exercise.trials:
        right = np.atleast_1d(exercise.right(*trial.case.args))
        for row in right.reshape(-1, right.shape[-1]):
            # A row of one number, or of one number repeated, is found in many messages by chance.
            if row.dtype != bool and len(set(row.tolist())) > 2:
                assert ", ".join(f"{x:.4g}" for x in row) not in mark.message
