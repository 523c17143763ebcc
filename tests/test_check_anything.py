"""Whatever arrays come back, the judge gives a mark and a sentence, and full marks only for the right answer."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from rowwise import exercises, reference
from rowwise.exercises import tutor
from rowwise.probe import Answer, probe

FUNCTIONS = [name for name, each in exercises.ALL.items() if each.kind == "function" and hasattr(reference, name)]
numbers = st.one_of(st.floats(width=64), st.sampled_from([0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e300]))
any_array = st.one_of(
    arrays(float, array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5), elements=numbers),
    arrays(np.int64, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)),
    arrays(bool, array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)),
)
answers = st.one_of(
    st.builds(Answer, any_array),
    st.builds(Answer, st.tuples(any_array, any_array)),
    st.just(Answer(())),
    st.just(Answer(None)),
    st.just(Answer(problem="raised", error="ValueError: mind", line="line 2: return Q")),
    st.just(Answer(problem="raised", error="OverflowError: math range error")),
    st.just(Answer(problem="unreadable", error="a generator")),
    st.just(Answer(problem="timeout", error="stopped after 10 seconds")),
)


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_answers_give_a_mark_and_a_sentence(name, data):
    exercise = exercises.ALL[name]
    given_answers = [data.draw(answers) for _ in exercise.cases()]
    mark = exercise.judge(given_answers)
    assert 0 <= float(mark) < mark.points
    assert mark.mistakes and mark.message


def tampered(name):
    """Every right answer, but for one case that is changed in one of many ways."""
    exercise = exercises.ALL[name]
    right = probe(exercise.cases(), getattr(reference, name))
    changes = [
        lambda a: np.zeros_like(a),
        lambda a: a * np.nan,
        lambda a: a + 1,
        lambda a: -a,
        lambda a: a.T,
        lambda a: a[..., :1],
        lambda a: a.ravel(),
        lambda a: a[None],
        lambda a: a.sum(),
        lambda a: np.sort(a, axis=None).reshape(a.shape)[::-1] + 0.5,
        lambda a: np.full_like(a, 1e300),
        lambda a: np.full_like(a, np.inf),
    ]
    stride = 1 if len(exercise.slips) < 90 else 31  # what nothing explains takes the judge half a second there
    for number in range(0, len(right) * len(changes), stride):
        place, change = number // len(changes), changes[number % len(changes)]
        yield exercise, right, place, change(np.atleast_1d(right[place].value).astype(float))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_case_that_differs_is_never_full_marks_and_always_has_its_sentence(name, monkeypatch):
    monkeypatch.setattr(tutor, "speechless", lambda evidence: pytest.fail("no sentence fitted"))
    for exercise, right, place, value in tampered(name):
        wanted = np.asarray(right[place].value)
        with np.errstate(all="ignore"):
            same = value.shape == wanted.shape and np.allclose(value, wanted, rtol=1e-4, atol=1e-4, equal_nan=True)
        if not same:
            given_answers = [*right[:place], Answer(value, right[place].after), *right[place + 1 :]]
            mark = exercise.judge(given_answers)
            assert float(mark) < mark.points, (name, exercise.trials[place].case.name)
            assert mark.mistakes and len(mark.message) > 40


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_right_answers_as_other_kinds_of_arrays_get_full_marks(name):
    exercise = exercises.ALL[name]
    right = probe(exercise.cases(), getattr(reference, name))
    for kind in (np.float32, np.float64):
        if np.asarray(right[0].value).dtype != bool:
            sent = [Answer(np.asarray(a.value).astype(kind), a.after) for a in right]
            assert float(exercise.judge(sent)) == exercise.points
