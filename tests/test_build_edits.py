"""A solution notebook that somebody edited: never overwritten, taken back into the text; git is never an edit."""

import os
import re
import shutil
import subprocess

import nbformat
import pytest
from courses import DOT_PRODUCT, NAMES, REGISTRY, cell, contents, make_course, notebook

from rowwise import build


@pytest.fixture
def course(tmp_path):
    return make_course(tmp_path / "course")


@pytest.fixture
def built(course):
    build.build(course, NAMES, REGISTRY)
    return course


def edit(course, change, name="01-dot-product"):
    """Edits the solution notebook as JupyterLab saves it, with outputs and a version of Python."""
    path = course / "solutions" / name / f"{name}.ipynb"
    book = nbformat.read(path, as_version=4)
    change(book)
    book.metadata.language_info = {"name": "python", "version": "3.12.1", "pygments_lexer": "ipython3"}
    for number, each in enumerate(c for c in book.cells if c.cell_type == "code"):
        each.execution_count = number + 1
        each.outputs = [nbformat.v4.new_output("stream", text="run\n")]
        each.metadata["scrolled"] = True
    nbformat.write(book, path)


def test_running_a_solution_notebook_is_no_edit(built):
    made = contents(built)
    edit(built, lambda book: book.cells.append(nbformat.v4.new_code_cell("")))
    assert len(build.stale(built, NAMES, REGISTRY)) == 1
    build.build(built, NAMES, REGISTRY)
    assert contents(built) == made


def test_an_edited_solution_notebook_is_neither_overwritten_nor_forgotten(built):
    edit(
        built,
        lambda book: cell(book, "scores").update(
            source=cell(book, "scores").source.replace("Q @ K.T", "np.dot(Q, K.T)")
        ),
    )
    before = contents(built)
    with pytest.raises(build.BuildError, match=r"edited since it was made.*rowwise build --adopt 01-dot-product"):
        build.build(built, NAMES, REGISTRY)
    assert "edited since" in build.stale(built, NAMES, REGISTRY)[0]
    assert contents(built) == before


def test_a_text_that_changed_while_the_notebook_did_not_is_built(built):
    text = built / "solutions/01-dot-product/01-dot-product.md"
    text.write_text(text.read_text().replace("One query", "A query"))
    os.utime(built / "solutions/01-dot-product/01-dot-product.ipynb")  # as a checkout does
    assert len(build.build(built, NAMES, REGISTRY)) == 2


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_clone_and_a_merge_of_two_chapters_changes_are_no_edits(built, tmp_path):
    def git(*words, cwd=built):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        subprocess.run(["git", *who, *words], cwd=cwd, check=True, capture_output=True)

    def change(old, new):
        text = built / "solutions/01-dot-product/01-dot-product.md"
        text.write_text(text.read_text().replace(old, new))
        build.build(built, NAMES, REGISTRY)
        git("commit", "-qam", new)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "begin")
    git("switch", "-qc", "theirs")
    change("One query, two keys", "A query, two keys")
    git("switch", "-q", "main")
    change("Next:", "Now:")
    git("merge", "-q", "-X", "ours", "theirs")
    clone = tmp_path / "clone"
    git("clone", "-q", str(built), str(clone), cwd=tmp_path)
    for course in (built, clone):
        build.build(course, NAMES, REGISTRY)
        assert build.stale(course, NAMES, REGISTRY) == []
        assert "A query, two keys" in notebook(course).cells[0].source
        assert notebook(course).cells[-1].source.startswith("Now:")


def test_a_notebook_with_the_marks_of_a_merge_gets_a_sentence(built):
    path = built / "solutions/01-dot-product/01-dot-product.ipynb"
    path.write_text("<<<<<<< ours\n" + path.read_text())
    with pytest.raises(build.BuildError, match=r"perhaps a merge left its marks.*delete the notebook"):
        build.build(built, NAMES, REGISTRY)


def test_adopting_an_edit_changes_its_cell_in_the_text_and_nothing_else(built):
    text = built / "solutions/01-dot-product/01-dot-product.md"
    edit(
        built,
        lambda book: cell(book, "scores").update(
            source=cell(book, "scores").source.replace("Q @ K.T", "np.dot(Q, K.T)")
        ),
    )
    assert build.adopt(built, NAMES, REGISTRY) == [text]
    assert text.read_text() == DOT_PRODUCT.replace("Q @ K.T", "np.dot(Q, K.T)")
    assert build.stale(built, NAMES, REGISTRY) == []


def test_adopting_takes_new_moved_and_deleted_cells(built):
    def change(book):
        new = [
            nbformat.v4.new_markdown_cell("New, see [start](../00-start-here/00-start-here.ipynb)."),
            nbformat.v4.new_code_cell('"""\n```\n"""'),
        ]
        del book.cells[1]
        book.cells[1:1] = new
        book.cells.append(book.cells.pop(0))

    edit(built, change)
    build.adopt(built, NAMES, REGISTRY)
    text = (built / "solutions/01-dot-product/01-dot-product.md").read_text()
    assert "[start](../00-start-here/00-start-here.md)" in text and "## In code" not in text
    assert text.count("+++") == 3 and ":exercise: scores" in text and '+++ {"written": "why-rows, 2 points"}' in text
    assert build.stale(built, NAMES, REGISTRY) == []


def test_adopting_makes_the_text_of_a_notebook_that_has_none(built):
    text = built / "solutions/01-dot-product/01-dot-product.md"
    text.unlink()
    build.adopt(built, NAMES, REGISTRY)
    body = DOT_PRODUCT.split("---\n", 2)[2]
    assert text.read_text().split("---\n", 2)[2].replace(':tags: ["hide-input"]\n', ":tags: [hide-input]\n\n") == body
    assert build.stale(built, NAMES, REGISTRY) == []


def test_adopting_refuses_where_text_and_notebook_both_changed(built):
    text = built / "solutions/01-dot-product/01-dot-product.md"
    text.write_text(text.read_text().replace("One query", "A query"))
    edit(built, lambda book: book.cells.pop())
    before = contents(built)
    with pytest.raises(build.BuildError, match="both it and its text were changed"):
        build.adopt(built, NAMES, REGISTRY)
    assert contents(built) == before


@pytest.mark.parametrize(
    "change, sentence",
    [
        (
            lambda book: cell(book, "check-scores").metadata.nbgrader.update(points=4),
            "worth 4 points here and 3 in the registry",
        ),
        (
            lambda book: book.cells[0].update(attachments={"a.png": {"image/png": ""}}),
            "a picture is pasted into it",
        ),
        (
            lambda book: book.cells[0].update(source="above\n\n+++\n\nbelow"),
            "do not survive the way into a text",
        ),
        (
            lambda book: book.cells.remove(cell(book, "scores")),
            "`scores` is checked before a cell asks for it",
        ),
    ],
)
def test_an_edit_that_a_text_cannot_hold_or_a_chapter_may_not_is_refused_and_kept(built, change, sentence):
    edit(built, change)
    before = contents(built)
    with pytest.raises(build.BuildError, match=re.escape(sentence)):
        build.adopt(built, NAMES, REGISTRY)
    assert contents(built) == before
