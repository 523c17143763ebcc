import pytest
from courses import DOT_PRODUCT, NAMES, REGISTRY, contents, make_course

from rowwise import build


@pytest.fixture
def course(tmp_path):
    return make_course(tmp_path / "course")


def swap(old, new):
    assert old in DOT_PRODUCT
    return DOT_PRODUCT.replace(old, new)


TASK = """+++ {"nbgrader": {"grade": false, "grade_id": "t", "locked": %s, "schema_version": 3, \
"solution": false, "task": true%s}}

Do it.

```{code-cell}
:exercise"""
HAND_MADE = """```{code-cell}
---
nbgrader: {grade: true, grade_id: tests, locked: true, schema_version: 3, solution: false, task: false%s}
---
assert scores
```

+++ {"""
REFUSED = {
    "a misspelled option": (
        swap(":exercise: scores", ":exercize: scores"),
        "cell 4",
        "`exercize` is not an option",
    ),
    "an unknown exercise": (
        swap(":exercise: scores", ":exercise: score"),
        "cell 4 (score)",
        "no exercise is called `score`",
    ),
    "an unknown check": (
        swap(":check: scores", ":check: score"),
        "cell 5 (score)",
        "no exercise is called `score`",
    ),
    "another chapter's exercise": (
        swap(":exercise: scores", ":exercise: warm_up"),
        "cell 4 (warm_up)",
        "belongs to chapter 00-start-here",
    ),
    "an exercise that nothing checks": (
        swap("```{code-cell}\n:check: scores\ncheck.scores(scores)\n```\n", ""),
        "",
        "no cell checks `scores`",
    ),
    "a check above its exercise": (
        swap("## In code\n", "## In code\n\n```{code-cell}\n:check: scores\ncheck.scores(scores)\n```\n"),
        "cell 3",
        "checked before a cell asks",
    ),
    "a name used twice": (
        swap("why-rows, 2 points", "scores, 2 points"),
        "cell 6 (scores)",
        "the name `scores` is taken by cell 4",
    ),
    "a written answer without points": (
        swap("why-rows, 2 points", "why-rows"),
        "cell 6",
        "lacks a name or its points",
    ),
    "a written answer without text": (
        swap("+++\n\n## In code", '+++ {"written": "a, 1 point"}\n\n+++\n\n## In code'),
        "",
        "no text below it",
    ),
    "a check that ends in something else": (
        swap("check.scores(scores)", "check.scores(scores)\nprint()"),
        "cell 5",
        "does not end in its mark",
    ),
    "a check that ends in a semicolon": (
        swap("check.scores(scores)", "check.scores(scores);"),
        "cell 5",
        "does not end in its mark",
    ),
    "a check of something else": (
        swap("check.scores(scores)", "check.scores(score)"),
        "cell 5",
        "does not end in its mark",
    ),
    "a check that is kept": (
        swap("check.scores(scores)", "m = check.scores(scores)"),
        "cell 5",
        "does not end in its mark",
    ),
    "a solution never ended": (swap("    ### END SOLUTION\n", ""), "cell 4", "is never ended"),
    "an end without a beginning": (
        swap("    ### BEGIN SOLUTION\n", ""),
        "cell 4",
        "no BEGIN SOLUTION above it",
    ),
    "a solution in a solution": (
        swap("    return Q @", "    ### BEGIN SOLUTION\n    return Q @"),
        "cell 4",
        "a second BEGIN SOLUTION",
    ),
    "no solution": (
        swap("    ### BEGIN SOLUTION\n    return Q @ K.T\n    ### END SOLUTION\n", "    return Q @ K.T\n"),
        "cell 4",
        "nothing in it is marked",
    ),
    "a solution students would see": (
        swap(":exercise: scores\n", ""),
        "cell 4",
        "that students would be handed",
    ),
    "a definition inside the solution": (
        swap(
            'def scores(Q, K):\n    "Scores, shape (n_q, n_k)."\n    ### BEGIN SOLUTION\n',
            "### BEGIN SOLUTION\ndef scores(Q, K):\n",
        ),
        "cell 4",
        "no longer defines `scores`",
    ),
    "a function of another name": (swap("def scores", "def score"), "cell 4", "does not define `scores`"),
    "code that does not parse": (swap("return Q @ K.T", "return Q @ (K.T"), "cell 4", "not Python that runs"),
    "an unlocked task": (
        swap("```{code-cell}\n:exercise", TASK % ("false", ', "points": 1')),
        "cell 4 (t)",
        "must be locked",
    ),
    "a task without points": (
        swap("```{code-cell}\n:exercise", TASK % ("true", "")),
        "cell 4 (t)",
        "points are missing",
    ),
    "tests written by hand": (
        swap("+++ {", HAND_MADE % ", points: 1"),
        "cell 6 (tests)",
        "full marks for any output",
    ),
    "tests without points": (swap("+++ {", HAND_MADE % ""), "cell 6 (tests)", "points are missing"),
    "a picture that is missing": (swap("keys.svg", "key.svg"), "cell 1", "`key.svg` is not there"),
    "a picture from elsewhere": (
        swap("keys.svg", "../01-dot-product/keys.svg"),
        "cell 1",
        "outside the chapter's folder",
    ),
    "a link to nowhere": (swap("00-start-here.md", "00-started.md"), "cell 7", "is not there"),
    "options that are no YAML": (
        swap(":exercise: scores", ":exercise: [scores"),
        "",
        "cannot be read as a MyST notebook",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_chapter_is_refused_for(course, name):
    text, where, sentence = REFUSED[name]
    make_course(course, text)
    before = contents(course)
    with pytest.raises(build.BuildError) as caught:
        build.build(course, NAMES, REGISTRY)
    messages = str(caught.value).splitlines()
    assert all(message.startswith("solutions/01-dot-product/01-dot-product.md") for message in messages)
    assert any(f", {where}" in message and sentence in message for message in messages), messages
    assert all(message.count(". ") >= 1 and message.endswith((".", "`")) for message in messages), messages
    assert contents(course) == before


def test_a_text_in_another_encoding_gets_a_sentence(course):
    (course / "solutions/01-dot-product/01-dot-product.md").write_bytes("# Größe\n".encode("latin-1"))
    with pytest.raises(build.BuildError, match="cannot be read as a MyST notebook"):
        build.build(course, NAMES, REGISTRY)


def test_every_problem_of_every_chapter_is_told_at_once(course):
    make_course(course, swap("Q @ K.T", "Q @ (K.T").replace("keys.svg", "key.svg"))
    start = course / "solutions/00-start-here/00-start-here.md"
    start.write_text(start.read_text().replace("check.warm_up(warm_up)", "warm_up"))
    with pytest.raises(build.BuildError) as caught:
        build.build(course, NAMES, REGISTRY)
    assert len(caught.value.problems) == 3


def test_what_only_nbgrader_refuses_becomes_a_sentence_too(course):
    make_course(course, swap("check.scores(scores)\n", "### BEGIN HIDDEN TESTS\ncheck.scores(scores)\n"))
    with pytest.raises(build.BuildError, match="nbgrader cannot make the students' notebook"):
        build.build(course, NAMES, REGISTRY)
