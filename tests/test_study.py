"""What chapters use around the exercises: predictions, hints, solutions, the strip, handing in, progress."""

import json
import re
import sys
from pathlib import Path

import pytest

from rowwise import exercises, progress, reference, study
from rowwise.exercises.plain import Spot, Value
from rowwise.probe import probe


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    monkeypatch.setenv("ROWWISE_HOME", str(tmp_path / "home"))
    progress.forget()
    yield
    progress.forget()


# ---- the strip


def test_the_strip_tells_the_lit_step_and_its_shapes_in_words_too():
    shown = study.strip("scores", minutes=50)  # noqa: B005  (not str.strip)
    for form in (shown.html, repr(shown)):
        assert "This chapter: scores." in form
        assert "Before: Q (n_q, d_k), K (n_k, d_k). After: scores (n_q, n_k)." in form
        assert "50 minutes" in form
    assert "role='img'" in shown.html and "aria-label=" in shown.html


def test_the_strip_takes_several_steps_and_gives_what_goes_into_all_of_them():
    said = repr(study.strip("scores", "scaled", "masked", "weights", "output"))
    assert "Before: Q (n_q, d_k), K (n_k, d_k), mask (n_q, n_k), V (n_k, d_v). After: output (n_q, d_v)." in said


def test_an_unknown_step_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="no step 'score'; it has projections, scores"):
        study.strip("score")


# ---- predictions

QUESTION = ("moves", "What moves?", ["nothing", "row 1", "everything"])


def test_an_outcome_is_not_told_before_the_commitment():
    assert "row 1 moved" not in repr(study.outcome("moves", "row 1 moved"))


def test_a_commitment_without_a_widget_is_kept_and_shown_beside_what_happens():
    study.predict(*QUESTION)
    assert "You committed to: everything." in repr(study.predict("moves", answer="C"))
    shown = study.outcome("moves", "row 1 moved")
    for form in (shown.html, repr(shown)):
        assert "everything" in form and "row 1 moved" in form


def test_the_first_commitment_stays():
    study.predict(*QUESTION, answer="nothing")
    assert "You committed to: nothing" in repr(study.predict(*QUESTION, answer="row 1"))
    assert "nothing" in repr(study.outcome("moves", "x"))


def test_an_answer_that_was_not_offered_lists_those_that_were():
    assert "a = nothing, b = row 1, c = everything" in repr(study.predict(*QUESTION, answer="d"))
    assert "Run the cell that asks" in repr(study.predict("never-asked", answer="a"))


def test_the_widget_keeps_what_is_committed_in_the_browser_and_remembers_it():
    widget = study.predict(*QUESTION)
    widget.answer = "row 1"
    assert study.predict(*QUESTION).answer == "row 1"
    assert "row 1" in repr(study.outcome("moves", "x"))


def test_a_page_without_widgets_shows_the_question_and_how_to_answer():
    data = study.predict(*QUESTION)._repr_mimebundle_()
    data = data[0] if isinstance(data, tuple) else data
    for form in ("text/html", "text/plain"):
        assert "What moves?" in data[form] and "study.predict(" in data[form] and "everything" in data[form]


# ---- hints and solutions


def hint_names(folder):
    import tomllib

    for path in sorted((Path(study.__file__).parent / folder).glob("*.toml")):
        yield from ((path.stem, name, table) for name, table in tomllib.loads(path.read_text(encoding="utf-8")).items())


def test_opening_a_hint_shows_the_next_and_only_the_last_offers_the_solution():
    html = study.hints("scores").html
    depth = deepest = 0
    for tag in re.findall(r"</?details", html):
        depth += 1 if tag == "<details" else -1
        deepest = max(deepest, depth)
    assert depth == 0 and deepest == html.count("<summary>") >= 2
    assert "study.solution" not in html[: html.rindex("<summary>")]


def test_a_solution_that_is_opened_is_recorded_and_shown_in_the_table():
    assert "solution opened" not in repr(study.progress_table("01-dot-product"))
    assert "def scores" in repr(study.solution("scores"))
    assert "solution opened on" in repr(study.progress_table("01-dot-product"))


def test_looking_at_hints_records_nothing():
    study.hints("scores")
    assert not study.help.opened("scores")


def test_a_copy_without_solutions_says_so(monkeypatch):
    monkeypatch.setattr(study.help, "_texts", lambda folder: {})
    assert "holds no solution" in repr(study.solution("scores"))
    assert not study.help.opened("scores")


@pytest.mark.parametrize("folder", ["hints", "solutions"])
def test_every_help_text_belongs_to_an_exercise_of_its_chapter(folder):
    for chapter, name, table in hint_names(folder):
        assert exercises.ALL[name].chapter == chapter, name
        assert table, name


@pytest.mark.parametrize("chapter, name, table", [pytest.param(*row, id=row[1]) for row in hint_names("solutions")])
def test_the_solution_of_every_exercise_gets_full_marks(chapter, name, table):
    import numpy as np

    # a solution may call what an earlier exercise asked for
    earlier = {other: getattr(reference, other) for other in exercises.ALL if hasattr(reference, other)}
    exercise, namespace = exercises.ALL[name], {"np": np, "mine": reference, **earlier}
    text = table["solution"]
    code = text if exercise.kind == "function" else text[text.index(f"{name} = ") :]
    exec(code, namespace)
    mark = exercise.judge(probe(exercise.cases(), namespace[name]))
    assert float(mark) == mark.points, str(mark)


# ---- shapes and spotted mistakes

VALUES = [e for e in exercises.ALL.values() if isinstance(e, Value)]
SPOTS = [e for e in exercises.ALL.values() if isinstance(e, Spot)]


def judge(exercise, subject):
    return exercise.judge(probe(exercise.cases(), subject))


@pytest.mark.parametrize("exercise", VALUES, ids=lambda e: e.name)
def test_a_shape_gets_its_mark_and_a_wrong_one_a_reason_without_the_answer(exercise):
    assert float(judge(exercise, exercise.right)) == exercise.points
    assert float(judge(exercise, list(exercise.right))) == exercise.points
    for wrong in [*exercise.tells, (97,) * len(exercise.right)]:
        mark = judge(exercise, wrong)
        assert not mark and mark.mistakes and mark.message, wrong
        assert str(exercise.right) not in mark.message


@pytest.mark.parametrize("exercise", VALUES, ids=lambda e: e.name)
@pytest.mark.parametrize(
    "subject", [None, (None, None), "3, 4", 3, ("a", 4), (3.5, 4), (float("nan"), 1), {}, [], print]
)
def test_nothing_typed_for_a_shape_raises_or_scores(exercise, subject):
    mark = judge(exercise, subject)
    assert not mark and mark.message


@pytest.mark.parametrize("spot", SPOTS, ids=lambda e: e.name)
def test_a_spotted_mistake_earns_half_for_its_name_and_half_for_the_row(spot):
    row = min(spot.rows)
    assert float(judge(spot, {"mistake": spot.answer, "row": row})) == spot.points
    assert float(judge(spot, {"mistake": spot.answer, "row": None})) == spot.points / 2
    assert float(judge(spot, {"mistake": None, "row": str(row)})) == spot.points / 2


@pytest.mark.parametrize("spot", SPOTS, ids=lambda e: e.name)
def test_a_wrong_guess_says_what_that_mistake_would_have_shown(spot):
    assert set(spot.would_show) == set(spot.options) - {spot.answer}
    for slug in spot.would_show:
        mark = judge(spot, {"mistake": slug, "row": None})
        assert not mark and spot.would_show[slug] in str(mark) and spot.answer not in str(mark)


@pytest.mark.parametrize("spot", SPOTS, ids=lambda e: e.name)
def test_a_row_that_is_right_does_not_give_the_mistake_away(spot):
    for row in set(range(1, len(spot.output) + 1)) - spot.rows:
        mark = judge(spot, {"mistake": None, "row": row})
        assert not mark and f"Row {row} is what a right program gives" in str(mark)


@pytest.mark.parametrize("spot", SPOTS, ids=lambda e: e.name)
@pytest.mark.parametrize(
    "subject", [None, "transposed-scores", {}, {"mistake": 3, "row": []}, {"row": "first"}, {"row": 10**400}]
)
def test_nothing_typed_for_a_spotted_mistake_raises(spot, subject):
    assert not judge(spot, subject)


@pytest.mark.parametrize("spot", SPOTS, ids=lambda e: e.name)
def test_a_wrong_program_is_shown_without_its_code_or_its_name_given_away(spot):
    shown = study.broken(spot.name)
    for form in (shown.html, repr(shown)):
        assert all(slug in form for slug in spot.options)
        assert "def " not in form and "lambda" not in form and "@" not in form


# ---- handing in


def notebook(folder, *cells, name="01-dot-product.ipynb"):
    path = folder / name
    path.write_text(
        json.dumps(
            {
                "cells": [
                    {"cell_type": kind, "metadata": {"nbgrader": {"grade_id": grade_id}}, "source": source}
                    for kind, grade_id, source in cells
                ]
            }
        ),
        encoding="utf-8",
    )
    return path


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    main = sys.modules["__main__"]
    for exercise in exercises.of_chapter("01-dot-product"):
        monkeypatch.delattr(main, exercise.name, raising=False)
    return tmp_path


def full(folder, *more):
    names = [exercise.name for exercise in exercises.of_chapter("01-dot-product")]
    cells = [("code", grade_id, "…") for name in names for grade_id in (name, f"check-{name}")]
    return notebook(folder, *cells, *more)


def test_handing_in_nothing_says_what_is_missing_and_expects_no_marks(here):
    full(here, ("markdown", "why-rows", "YOUR ANSWER HERE"))
    said = repr(study.hand_in("01-dot-product"))
    assert "its cell has not been run" in said
    assert re.search(r"expect from the checks: 0 of \d+", said)
    assert "Written answers still to do, as saved: why-rows." in said


def test_the_marks_to_expect_are_those_of_the_work_in_memory(here, monkeypatch):
    full(here)
    monkeypatch.setattr(sys.modules["__main__"], "scores_shape", (3, 4), raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "dot_product_row", {"scores": [None] * 3}, raising=False)
    said = repr(study.hand_in("01-dot-product"))
    assert re.search(r"scores_shape +complete +1 of 1", said)
    assert re.search(r"dot_product_row +not filled in +0 of 3", said)
    assert not progress.best(), "looking ahead is no try"


def test_an_opened_solution_is_shown_where_the_work_is_handed_in(here):
    full(here)
    study.solution("scores_shape")
    assert re.search(
        r"scores_shape +its cell has not been run \(solution opened\)", repr(study.hand_in("01-dot-product"))
    )


def test_a_missing_file_a_wrong_name_a_copy_and_a_lost_cell_are_said(here, monkeypatch):
    assert "was not found from here" in repr(study.hand_in("01-dot-product"))
    path = notebook(here, ("code", "scores", "a"), ("code", "scores", "b"), name="mine.ipynb")
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    said = repr(study.hand_in("01-dot-product"))
    assert "collected only under the name 01-dot-product.ipynb" in said
    assert "More than once in the file: scores." in said
    assert re.search(r"Gone from the file: .*check-scores,", said)


@pytest.mark.parametrize("text", ["", "not json", "[]", '{"cells": 3}', '{"cells": [{}]}'])
def test_a_file_that_is_no_notebook_does_not_stop_the_cell(here, text):
    (here / "01-dot-product.ipynb").write_text(text, encoding="utf-8")
    assert "Marks to expect" in repr(study.hand_in("01-dot-product"))


def test_while_nbgrader_runs_the_notebook_the_cell_does_nothing(here, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert "does nothing" in repr(study.hand_in("01-dot-product"))


# ---- progress and installation


def test_the_table_of_all_chapters_adds_up_best_marks():
    from rowwise import check

    check.scores_shape((4, 3))
    check.scores_shape((3, 4))
    check.scores_shape((5, 5))
    assert re.search(r"01-dot-product +1 of \d+ +1 of \d+", repr(study.progress_table()))
    assert re.search(r"scores_shape +1 of 1 +3", repr(study.progress_table("01-dot-product")))


def test_the_installation_of_this_machine_is_described_row_by_row():
    said = repr(study.check_installation())
    for what in (
        "Python",
        "numpy",
        "anywidget",
        "figures in JupyterLab",
        "Validate button",
        "place for progress",
    ):
        assert re.search(rf"^{re.escape(what)} +(fine|missing|too old|not found here|read-only)", said, re.MULTILINE)


def test_an_old_package_and_a_missing_one_come_with_their_remedy(monkeypatch):
    from importlib import metadata

    real = metadata.version

    def version(name):
        if name == "matplotlib":
            raise metadata.PackageNotFoundError(name)
        return "1.24.0" if name == "numpy" else real(name)

    monkeypatch.setattr("rowwise.study.installation.metadata.version", version)
    said = repr(study.check_installation())
    assert re.search(r'numpy +too old +1\.24\.0 +Run `%pip install --upgrade "numpy>=2', said)
    assert re.search(r"matplotlib +missing", said)


def test_a_place_for_progress_that_cannot_be_written_is_named(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("ROWWISE_HOME", str(tmp_path / "file" / "below"))
    assert re.search(r"place for progress +read-only.*ROWWISE_HOME", repr(study.check_installation()))


# ---- cells out of order


def test_a_cell_run_too_early_says_what_to_run_and_still_counts_as_an_error(tmp_path, monkeypatch):
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    cells = ["from rowwise import study", "scores_shape", "def f():\n    return unknown", "f()"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=60).execute()
    early, inside = notebook.cells[1].outputs, notebook.cells[3].outputs
    assert "`scores_shape` is not there yet. A cell further up makes it" in early[0].text
    assert early[-1].output_type == "error" and early[-1].ename == "NameError"
    assert [output.output_type for output in inside] == ["error"], "a slip inside a function is no matter of order"
