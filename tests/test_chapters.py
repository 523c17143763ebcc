"""Every chapter, whichever there are: as solution, as what students get, and as prose."""

import math
import re
from pathlib import Path

import nbformat
import pytest

from rowwise import exercises

ROOT = Path(__file__).parent.parent
CHAPTERS = sorted(p.stem for p in (ROOT / "solutions").glob("[0-9][0-9]-*/*.md") if p.stem == p.parent.name)
PAGES = sorted((ROOT / "solutions" / "pages").glob("*.md"))
SECONDS = 120  # for one cell; a whole chapter takes a few seconds


# ---- running them


def run(kind: str, chapter: str, tmp_path: Path, monkeypatch):
    """The executed notebook, run in an empty folder of its own name as a student's machine would."""
    from nbclient import NotebookClient

    monkeypatch.setenv("ROWWISE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    source = ROOT / kind / chapter / f"{chapter}.ipynb"
    folder = tmp_path / chapter
    folder.mkdir()
    for file in source.parent.iterdir():
        if file.is_file() and file.suffix != ".md":
            (folder / file.name).write_bytes(file.read_bytes())
    notebook = nbformat.read(folder / source.name, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    )
    return client.execute()


def troubles(notebook) -> list[str]:
    """Tracebacks, and whatever went to stderr: nbgrader gives such a cell 0."""
    return [
        f"{cell.source[:60]!r}: {output.get('text') or output.get('evalue')}"
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]


def marks(notebook) -> dict[str, float]:
    """What nbgrader would read from each check cell: the text of its last output."""
    found = {}
    for cell in notebook.cells:
        grading = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "code" and grading.get("grade"):
            found[grading.grade_id.removeprefix("check-")] = float(cell.outputs[-1].data["text/plain"])
    return found


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_solution_runs_top_to_bottom_and_gets_full_marks(chapter, tmp_path, monkeypatch):
    notebook = run("solutions", chapter, tmp_path, monkeypatch)
    assert not troubles(notebook)
    assert marks(notebook) == {e.name: e.points for e in exercises.of_chapter(chapter)}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_what_students_get_runs_untouched_for_no_marks_and_without_a_traceback(chapter, tmp_path, monkeypatch):
    notebook = run("notebooks", chapter, tmp_path, monkeypatch)
    assert not troubles(notebook)
    assert marks(notebook) == {e.name: 0 for e in exercises.of_chapter(chapter)}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_exercises_stand_in_the_registry_in_the_order_of_the_chapter(chapter):
    asked = re.findall(r"^:check: (\w+)", source(chapter), re.MULTILINE)
    assert asked == [exercise.name for exercise in exercises.of_chapter(chapter)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_heading_that_states_points_states_those_of_the_registry(chapter):
    """The points in headings above a check add up to those of the checks below, up to the next such heading."""
    text = re.sub(r"\+\+\+ \{\"written\".*?### END SOLUTION", "", source(chapter), flags=re.DOTALL)
    for part in re.split(r"^#+ ", text, flags=re.MULTILINE)[1:]:
        stated = re.search(r"\((\d+(?:\.\d+)?) points?\)", part.splitlines()[0])
        names = re.findall(r"^:check: (\w+)", part, re.MULTILINE)
        if stated and names:
            assert float(stated[1]) == sum(exercises.ALL[name].points for name in names), part.splitlines()[0]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_marked_exercise_has_hints_and_a_solution(chapter):
    from rowwise import study

    for exercise in exercises.of_chapter(chapter):
        if exercise.chapter != "10-assessment":
            assert "Hint 1" in repr(study.hints(exercise.name)), exercise.name


# ---- reading them


def source(chapter: str) -> str:
    return (ROOT / "solutions" / chapter / f"{chapter}.md").read_text(encoding="utf-8")


TEXTS = [*(ROOT / "solutions" / c / f"{c}.md" for c in CHAPTERS), *PAGES]
each_text = pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.stem)


def prose(path: Path) -> list[str]:
    """The markdown cells of a text."""
    text = path.read_text(encoding="utf-8").split("\n---\n", 1)[1]
    cells = re.split(r"^\+\+\+.*$|^```+\{code-cell\}.*?^```+$", text, flags=re.MULTILINE | re.DOTALL)
    return [cell.strip() for cell in cells if cell.strip()]


def plain(cell: str) -> str:
    """Words only: no model answers, code, formulas or addresses."""
    cell = re.sub(r"### BEGIN SOLUTION.*?### END SOLUTION", "", cell, flags=re.DOTALL)
    cell = re.sub(r"```.*?```|`[^`]*`|\$\$.*?\$\$|\$[^$]*\$", "", cell, flags=re.DOTALL)
    return re.sub(r"\]\([^)]*\)", "]", cell)


@each_text
def test_no_cell_of_prose_is_longer_than_120_words(path):
    for cell in prose(path):
        words = re.findall(r"[^\W\d_][\w'’-]*", plain(cell))
        assert len(words) <= 120, f"{len(words)} words: {cell[:80]}"


@each_text
def test_sentences_are_short(path):
    for cell in prose(path):
        for sentence in re.split(r"[.!?:;|]\s|\n\s*[-*|\d]|\n\n", plain(cell)):
            assert len(sentence.split()) <= 34, sentence


@each_text
def test_every_title_has_a_verb(path):
    for title in re.findall(r"^#+ (?!BEGIN|END)(.+)$", "\n".join(prose(path)), re.MULTILINE):
        words = re.sub(r"^\d+\. ", "", title).split()
        has_verb = words[0].lower() in IMPERATIVES or any(word.lower().strip("?,:") in QUESTIONS for word in words)
        assert has_verb or path.stem in ("glossary",), title


@each_text
def test_every_picture_has_a_text_alternative(path):
    for alt in re.findall(r"!\[([^\]]*)\]\(", "\n".join(prose(path))):
        assert len(alt.split()) >= 4, f"a picture with the alternative {alt!r}"
    assert "<img" not in "\n".join(prose(path))


@each_text
def test_every_local_link_leads_somewhere(path):
    for target in re.findall(r"\]\(([^)]+)\)", "\n".join(prose(path))):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, heading = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        assert there.is_file(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in [title.replace(" ", "-") for title in titles], target


@each_text
def test_the_spelling_is_british(path):
    for cell in prose(path):
        assert not AMERICAN.search(plain(cell)), AMERICAN.search(plain(cell))[0]


@each_text
def test_nobody_is_praised_and_nothing_is_sold(path):
    for cell in prose(path):
        text = plain(cell)
        assert not HYPE.search(text), HYPE.search(text)[0]
        assert "!" not in text.replace("![", ""), text[:80]
        assert not EMOJI.search(text), EMOJI.search(text)[0]


@each_text
def test_no_text_names_the_machine_it_was_written_on(path):
    assert not re.search(r"/work/|/tmp/|/root/|localhost", path.read_text(encoding="utf-8"))


@each_text
def test_arithmetic_in_prose_is_right_with_the_digits_it_shows(path):
    for cell in prose(path):
        for left, right in equations(cell):
            unit = 10.0 ** -len(right.partition(".")[2])
            assert abs(value(left) - value(right)) <= 0.5001 * unit, f"{left} = {right}"


def test_the_arithmetic_test_finds_equations_and_sees_a_slip():
    said = (
        "- Key 1: 2·1 + (-1)·2 = 0, scaled 4 / 2 = 2; e^(-1) = 0.3679 and d_k = 4, p1·p2 = 3, √9 = 3, $e^{-1} = 0.3679$"
    )
    assert equations(said) == [
        ("2·1 + (-1)·2", "0"),
        ("4 / 2", "2"),
        ("e^(-1)", "0.3679"),
        ("√9", "3"),
        ("e^(-1)", "0.3679"),
    ]
    assert value("2·1 + (-1)·2") == 0 and abs(value("e^(-1)") - 0.3679) < 1e-4


def equations(text: str) -> list[tuple[str, str]]:
    """Calculations with their results, as written: ("2·1 + 1·2", "4")."""
    text = text.replace("−", "-").replace("\\sqrt", "√").translate({ord("{"): "(", ord("}"): ")"})
    found = re.findall(r"(?<![\w^.·\]])((?:[-(√\d]|e\^)(?:[\d.·+\-/()√ ]|e\^)*?) = (-?\d+(?:\.\d+)?)", text)
    return [(left.strip(), right) for left, right in found]


def value(expression: str) -> float:
    """The number that a calculation in prose stands for."""
    python = expression.replace("·", "*").replace("−", "-")
    python = re.sub(r"e\^\(?(-?[\d.]+)\)?", r"exp(\1)", python)
    python = re.sub(r"√\(?([\d.]+)\)?", r"sqrt(\1)", python)
    return float(eval(python, {"__builtins__": {}, "exp": math.exp, "sqrt": math.sqrt}))


VERBS = """add answer ask assemble attend
    build carry change check choose combine commit compare convert count cut diagnose do
    draw exclude fill find finish follow get give hand hold keep know label leave let look lose make mark mask match
    measure meet mix move name notice open picture permit predict press prove push put read recover remove run save
    say scale see set share shift show shuffle split start state stop study sum take tell then think translate try
    turn use wait walk watch weigh work write"""
IMPERATIVES = set(VERBS.split())
QUESTIONS = {"is", "are", "does", "do", "must", "should", "can"}
AMERICAN = re.compile(
    r"\b(colors?|colored|gray|centers?|centered|behaviors?|favors?|favorite|labeled|labeling"
    r"|modeled|modeling|canceled|canceling|normaliz\w+|generaliz\w+|organiz\w+|recogniz\w+|realiz\w+|summariz\w+"
    r"|visualiz\w+|minimiz\w+|maximiz\w+|initializ\w+|analyz\w+|emphasiz\w+|optimiz\w+|tokeniz\w+|catalogs?|math"
    r"|defense|practiced|fulfill|judgment|neighbors?|neighboring)\b",
    re.IGNORECASE,
)
HYPE = re.compile(
    r"\b(simply|obviously|clearly|trivial(ly)?|easy|easily|amazing|awesome|powerful|exciting|magic(al)?|great job"
    r"|well done|congratulations|excellent|perfect(ly)?|revolution\w*|state-of-the-art|cutting-edge|game-chang\w+"
    r"|blazing\w*|seamless(ly)?|effortless(ly)?|delve|leverag\w+|as you can see|of course|don't worry)\b",
    re.IGNORECASE,
)
EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u26ff\u2728\u2705\u274c]")


@pytest.mark.parametrize("path", [path for path in TEXTS if path not in PAGES], ids=lambda p: p.stem)
def test_code_fits_the_width_of_a_notebook(path):
    for line in source_lines_of_code(path):
        assert len(line) <= 88, line


def source_lines_of_code(path: Path) -> list[str]:
    """Every line of every code cell, options aside."""
    cells = re.findall(r"^```+\{code-cell\}\n(.*?)^```+$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line for cell in cells for line in cell.splitlines() if not line.startswith(":")]
