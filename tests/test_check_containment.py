"""Whatever a student's function does stays inside its check, and never becomes a traceback."""

import contextlib
import io
import logging
import random
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from rowwise import check, exercises
from rowwise.probe import Answer, Case, probe


def right(Q, K):
    return Q @ K.T


def test_prints_warnings_and_log_lines_stay_inside(capfd):
    def scores(Q, K):
        print("to stdout")
        print("to stderr", file=sys.stderr)
        logging.getLogger("student").warning("logged")
        warnings.warn("warned", stacklevel=1)
        np.array([1.0]) / 0
        return Q @ K.T

    mark = check.scores(scores)
    assert float(mark) == 3.0
    assert capfd.readouterr() == ("", "")


def test_warnings_that_the_notebook_turned_into_errors_do_not_fail_right_code():
    def scores(Q, K):
        np.log(np.zeros(2))
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        return Q @ K.T

    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert float(check.scores(scores)) == 3.0


def test_error_state_random_states_filters_and_print_options_are_as_before():
    def scores(Q, K):
        np.seterr(all="raise")
        np.random.seed(1)
        np.random.random(5)
        random.seed(1)
        random.random()
        warnings.simplefilter("error")
        np.set_printoptions(precision=1)
        logging.disable()
        return Q @ K.T

    before = np.geterr(), np.random.get_state()[1].tolist(), random.getstate(), list(warnings.filters)
    printed, disabled = np.get_printoptions(), logging.root.manager.disable
    assert float(check.scores(scores)) == 3.0
    assert (np.geterr(), np.random.get_state()[1].tolist(), random.getstate()) == before[:3]
    assert warnings.filters == before[3]
    assert (np.get_printoptions(), logging.root.manager.disable) == (printed, disabled)


def test_a_plot_made_inside_is_closed_and_one_made_before_is_kept():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    mine = plt.figure()

    def scores(Q, K):
        plt.figure()
        plt.plot([1, 2])
        plt.show()
        return Q @ K.T

    check.scores(scores)
    assert plt.get_fignums() == [mine.number]
    plt.close(mine)


def test_a_case_is_never_changed_by_a_function_that_writes_into_its_arguments():
    def scores(Q, K):
        Q[:] = 0
        K[:] = 0
        return Q @ K.T

    check.scores(scores)
    assert float(check.scores(right)) == 3.0


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        (None, "was given None"),
        (np.zeros((2, 3)), "was given an array"),
        (lambda Q, K: None, "lacks `return`"),
        (lambda Q: Q, "positional argument"),
        (lambda: None, "positional argument"),
        (lambda Q, K: (q for q in Q), "a generator"),
        (lambda Q, K: right, "a function"),
        (lambda Q, K: "0 1 2", "text"),
        (lambda Q, K: {"scores": Q}, "a dict"),
        (lambda Q, K: np.array([[object()]]), "object"),
        (lambda Q, K: [[1, 2], [3]], "differ in length"),
        (lambda Q, K: np.zeros((3000, 3000)), "9,000,000 numbers"),
        (lambda Q, K: Q @ K.T + 0j, "complex128"),
        (lambda Q, K: 1 / 0, "ZeroDivisionError"),
        (lambda Q, K: sys.exit(3), "SystemExit"),
        (lambda Q, K: [].pop(), "IndexError"),
        (lambda Q, K: (), "of shapes"),
    ],
)
def test_whatever_comes_back_there_is_a_mark_of_nothing_and_a_sentence(subject, said):
    mark = check.scores(subject)
    assert float(mark) == 0
    assert mark.mistakes
    assert said in mark.message


def test_a_coroutine_leaves_no_warning_behind(capfd):
    async def scores(Q, K):
        return Q @ K.T

    assert "a coroutine" in check.scores(scores).message
    assert capfd.readouterr().err == ""


def test_infinite_recursion_is_told_with_the_line_that_calls_itself():
    def scores(Q, K):
        return scores(Q, K)

    mark = check.scores(scores)
    assert mark.mistakes == ("raised",)
    assert "return scores(Q, K)" in mark.message
    assert "calls itself" in mark.message


def test_the_students_own_line_is_shown_even_when_a_library_raised_below_it():
    def inside(S):
        return np.linalg.inv(S)

    def scores(Q, K):
        return inside(Q @ K.T)

    mark = check.scores(scores)
    assert "return np.linalg.inv(S)" in mark.message


def test_an_exception_whose_text_raises_is_still_told():
    class Rude(Exception):
        def __str__(self):
            raise ValueError

    def scores(Q, K):
        raise Rude

    assert "Rude" in check.scores(scores).message


def test_what_lies_about_itself_is_refused():
    class Agreeable:
        def __eq__(self, other):
            return True

        def __array__(self, *args, **kwargs):
            raise RuntimeError("no")

    assert float(check.scores(lambda Q, K: Agreeable())) == 0


def test_an_array_whose_comparisons_are_always_true_is_read_as_plain_numbers():
    class Liar(np.ndarray):
        def __eq__(self, other):
            return np.ones(self.shape, bool)

        def __sub__(self, other):
            return np.zeros(self.shape)

    assert float(check.scores(lambda Q, K: np.zeros((len(Q), len(K))).view(Liar))) == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this platform")
@pytest.mark.parametrize("swallow", [(), (Exception,)])
def test_a_function_that_runs_for_ever_is_stopped_and_the_cases_left_are_not_tried(swallow):
    def scores(Q, K):
        while True:
            with contextlib.suppress(*swallow):
                sum(range(100))

    start = time.monotonic()
    answers = probe(exercises.ALL["scores"].cases(), scores, seconds=0.3)
    assert time.monotonic() - start < 3
    assert {answer.problem for answer in answers} == {"timeout"}
    message = exercises.ALL["scores"].judge(answers).message
    assert "did not come to an end" in message
    assert "0.3 seconds" in message


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this platform")
def test_the_time_is_for_all_cases_together():
    def slow(Q, K):
        time.sleep(0.2)
        return Q @ K.T

    answers = probe(exercises.ALL["scores"].cases(), slow, seconds=0.5)
    assert [answer.problem for answer in answers][:2] == ["", ""]
    assert answers[-1].problem == "timeout"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this platform")
def test_somebody_elses_alarm_still_rings_after_a_check():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    check.scores(right)
    time.sleep(0.4)
    signal.signal(signal.SIGALRM, before)
    assert rung == [1]


def test_a_function_that_runs_for_ever_can_be_interrupted():
    def scores(Q, K):
        raise KeyboardInterrupt

    mark = check.scores(scores)
    assert float(mark) == 0
    assert "was interrupted" in mark.message


def test_a_check_works_outside_the_main_thread_without_a_timer():
    marks = []
    thread = threading.Thread(target=lambda: marks.append(check.scores(right)))
    thread.start()
    thread.join()
    assert float(marks[0]) == 3.0


def test_a_check_of_right_code_takes_less_than_0_3_seconds_of_processor():
    from rowwise import reference

    for name, exercise in exercises.ALL.items():
        if exercise.kind == "function" and hasattr(reference, name):
            getattr(check, name)(getattr(reference, name))
            start = time.process_time()
            getattr(check, name)(getattr(reference, name))
            assert time.process_time() - start < 0.3, name


def test_the_probe_knows_neither_exercises_nor_reference():
    code = (
        "import sys, rowwise.probe as p; p.probe([p.Case('a', (1,))], abs);"
        "print([m for m in sys.modules if m.startswith('rowwise.') and m != 'rowwise.probe'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_judge_needs_nothing_but_arrays():
    """Answers that have been through bytes, as those of a graded run have, give the same mark."""
    exercise = exercises.ALL["attention"]
    answers = probe(exercise.cases(), lambda Q, K, V, mask=None: V[: len(Q)])

    def through_bytes(array):
        if not isinstance(array, np.ndarray):
            return array
        stored = io.BytesIO()
        np.save(stored, array, allow_pickle=False)
        stored.seek(0)
        return np.load(stored, allow_pickle=False)

    sent = [
        Answer(through_bytes(a.value), tuple(map(through_bytes, a.after)), a.problem, a.error, a.line) for a in answers
    ]
    assert exercise.judge(sent).message == exercise.judge(answers).message


def test_cases_are_the_same_every_time_and_nobody_can_write_into_them():
    for exercise in exercises.ALL.values():
        if exercise.kind == "function" and hasattr(exercise, "draw"):
            for one, other in zip(exercise.draw(), exercise.draw(), strict=True):
                assert one.case.name == other.case.name
                for a, b in zip(one.case.args, other.case.args, strict=True):
                    assert np.array_equal(a, b)
                    assert not isinstance(a, np.ndarray) or not a.flags.writeable
            assert len({case.name for case in exercise.cases()}) == len(exercise.cases())


def test_plain_data_is_read_as_plain_data():
    case = [Case("answer")]
    assert probe(case, {"scores": (np.float64(1.5), "2/3", None)})[0].value == {"scores": [1.5, "2/3", None]}
    assert probe(case, np.arange(3))[0].value == [0, 1, 2]
    assert probe(case, object())[0].problem == "unreadable"
    assert probe(case, right)[0].problem == "unreadable"


def test_an_unknown_check_says_which_there_are():
    with pytest.raises(AttributeError, match="softmax_rows"):
        check.softmaxrows  # noqa: B018


def test_inputs_of_a_case_can_be_looked_at_and_changed():
    Q, _ = check.inputs("scores")
    Q[:] = 0
    assert check.inputs("scores")[0].any()
    assert check.inputs("scores", "square")[0].shape == (4, 4)
    with pytest.raises(KeyError, match="five queries"):
        check.inputs("scores", "no such case")
