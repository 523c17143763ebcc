"""paper.Row: a question to fill in, marked, worked through; graded rows explain themselves once tried."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from test_rows_judge import tasks

from rowwise import check, exercises, paper, progress
from rowwise.paper.explain import Explanation
from rowwise.rows import Task, judge
from rowwise.rows.draw import draw
from rowwise.rows.worked import work

WORKED = {"q": [1, 0], "K": [[1, 0], [0, 1]], "V": [[2, 0], [0, 4]]}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ROWWISE_HOME", str(tmp_path))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    progress._session.clear()


class Tags(HTMLParser):
    """The tags of a page, each closed where it must be."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


def test_the_contract_of_a_row_holds_on_the_running_example():
    row = paper.Row(**WORKED, mask=None)
    mark = row.mark(scores=[1, 0], scaled=[0.7071, 0], weights=[0.6698, 0.3302], output=[1.3396, 1.3208])
    assert (float(mark), mark.points, mark.mistakes) == (4, 4, ())
    assert [(s.name, s.points, s.of, s.mistake, s.carried) for s in mark.steps] == [
        (name, 1, 1, "", False) for name in ("scores", "scaled", "weights", "output")
    ]


def test_a_row_shows_its_question_with_a_blank_for_every_number():
    row = paper.Row(**WORKED, mask=[True, False], asks=("masked", "products", "output"))
    page = Tags(row._repr_html_())
    assert page.seen.count("span") == 1 + 2 + 4 + 2  # the query, then the blanks
    for shown in ("[1, 0]", "[0, 1]", "[2, 0]", "[0, 4]", "yes", "no", "masked scores", "to 4 decimals"):
        assert shown in page.text
    assert "0.7071" not in page.text


def test_a_row_may_start_from_scores_scaled_scores_or_weights():
    assert float(paper.Row(scores=[0, 0], V=[1, 3]).mark(weights=[0.5, 0.5], output=2)) == 2
    assert float(paper.Row(scores=[4, 4], d_k=4, V=[1, 3]).mark(scaled=[2, 2], weights="1/2 1/2", output=[2])) == 3
    assert (
        float(paper.Row(weights=[0.25, 0.75], V=[4, 8], asks=("products", "output")).mark(products=[1, 6], output=7))
        == 2
    )


def test_a_value_may_be_one_number_or_several():
    assert float(paper.Row(weights=[0.5, 0.5], V=[[1, 2, 3], [3, 2, 1]]).mark(output=[2, 2, 2])) == 1


def test_a_place_left_empty_says_which_others_agree():
    mark = paper.Row(q=[1, -2], K=[[3, 1], [2, 2], [-1, 2]], asks=("scores",)).mark(scores=[1, 2, None])
    assert float(mark) == 0
    assert "Key 1 agrees. Look again at key 2. Key 3 is still empty." in mark.steps[0].message


@given(tasks())
@settings(deadline=None)
def test_an_explanation_is_itself_a_right_row(task):
    lines = {done.step: done.line.tolist() for done in work(task)}
    typed = {
        step: [
            ["-inf" if x == float("-inf") else x for x in row]
            if isinstance(row, list)
            else "-inf"
            if row == float("-inf")
            else row
            for row in lines[step]
        ]
        for step in task.asks
    }
    mark = judge(task, typed)
    assert float(mark) == mark.points, (typed, mark.steps)


SUM = re.compile(r"(?:key|number) \d+: |sum: ")


@pytest.mark.parametrize("seed", range(6))
def test_a_pocket_calculator_agrees_with_every_sum_of_an_explanation(seed):
    for done in work(draw(seed)):
        for line in done.sums:
            left, right = SUM.sub("", line).rsplit(" = ", 1)
            for index, shown in enumerate(re.findall(r"[-−]?[\d.]+", right)):
                assert abs(_calculate(left, index) - float(shown.replace("−", "-"))) <= 0.5000001e-4, line


def _calculate(text, index):
    """The value of a sum as it stands on the page; of the index-th number where a whole value is multiplied."""
    import math

    text = text.split(" = ")[0].replace("−", "-").replace("·", "*").replace("^", "**")
    text = re.sub(r"\[(.*?)\]", lambda found: f"({found[1].split(', ')[index]})", text)
    return eval(text, {"__builtins__": {}}, {"e": math.e})


def test_an_explanation_has_a_sentence_and_a_sum_for_each_step():
    shown = str(paper.Row(**WORKED).explain())
    assert "key 1: 1 / 1.4142 = 0.7071" in shown
    assert "key 1: 0.6698 · [2, 0] = [1.3396, 0]" in shown
    assert "1.3395, 1.321; both are right" in shown
    page = Tags(paper.Row(**WORKED).explain()._repr_html_())
    assert page.seen.count("ol") == 1
    assert shown.splitlines()[1].strip() in page.text


def test_large_scores_are_explained_with_the_maximum_taken_away_first():
    shown = str(paper.Row(scores=[1000, 1001, 999]).explain())
    assert "e^(1000 − 1001) = e^(−1) = 0.3679" in shown


def test_a_graded_row_explains_itself_only_once_every_step_has_been_tried():
    for subject in (None, {}, {"masked": [1, 2, 3, 4]}, exercises.ALL["mask_row"].blank()):
        check.mask_row(subject)
        told = paper.explain("mask_row")
        assert "once you have tried it" in told and "0.3315" not in told
        assert "once you have tried it" in paper.blank("mask_row").explain()
    check.mask_row({"masked": [1, 2, 3, 4], "weights": [1, 2, 3, 4], "output": [1, 2]})
    assert isinstance(paper.explain("mask_row"), Explanation)
    check.mask_row({})
    assert "0.3315" in str(paper.blank("mask_row").explain())


def test_a_graded_row_is_shown_without_its_answer_and_marked_by_its_check_alone():
    blank = paper.blank("mix_row")
    assert "0.7685" not in blank._repr_html_()
    with pytest.raises(TypeError, match=r"check.mix_row\(mix_row\)"):
        blank.mark(weights=[1, 0])
    with pytest.raises(KeyError, match="mix_row"):
        paper.explain("scores")


def test_a_worksheet_has_blanks_first_and_the_answers_on_pages_of_their_own(tmp_path):
    page = paper.worksheet(seed=5, rows=3).save(tmp_path / "rows.html").read_text(encoding="utf-8")
    Tags(page)
    questions, answers = page.split("<div class='rowwise-answers'>")
    assert questions.count("class='rowwise-blank'") == 3 * (3 + 3 + 3 + 2)
    assert "worked through" not in questions and answers.count("worked through") == 3
    assert "break-before: page" in questions
    for seed in (5, 6, 7):
        assert f"Row {seed}" in questions
    assert "http" not in page


def test_the_same_seed_prints_the_same_worksheet_and_another_seed_another():
    one, two, other = (paper.worksheet(seed=seed, rows=2).html() for seed in (1, 1, 11))
    assert one == two != other


def test_a_worksheet_may_hold_rows_of_ones_own():
    page = paper.worksheet(rows=[paper.Row(**WORKED), paper.Row(scores=[1, 2, 0])]).html()
    assert "Row 1" in page and "Row 2" in page and "[2, 0]" in page


def test_a_row_that_does_not_fit_together_says_so():
    with pytest.raises(ValueError, match="2 keys and 1 values"):
        paper.Row(scores=[1, 2], V=[[1, 2]])


def test_the_points_of_a_row_are_the_marks_of_its_steps():
    row = paper.Row(scaled=[0.8, -0.4], V=[6, -2], asks=("weights", "output"), marks={"weights": 3, "output": 2})
    assert (row.task.points, repr(row)) == (5, "a row to fill in: weights, output (5 points)")
    assert Task(scores=[1, 2]).points == 1


@pytest.mark.parametrize(
    "asks",
    [
        ("scores",),
        ("scores", "scaled"),
        ("exponentials", "weights"),
        ("weights", "products", "output"),
        ("masked", "weights", "output"),
        None,
    ],
)
def test_practice_has_a_row_for_every_chapter_and_shows_it_without_a_kernel_too(asks):
    practice = paper.practice(seed=12, asks=asks)
    data = practice._repr_mimebundle_()[0]
    page = Tags(data["text/html"])
    assert "key 1" in page.text and "blank" in data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in data
    assert practice.view["seed"] == 12
    assert [step["name"] for step in practice.view["steps"]] == list(asks or paper.USUAL)


@pytest.mark.parametrize("seed", [-1, "x", 10**12, None, 1.5])
def test_a_seed_that_is_none_gives_a_row_all_the_same(seed):
    assert 0 <= paper.practice(seed=seed, asks=("scores",)).view["seed"] < 10**9
