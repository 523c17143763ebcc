import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import version as version_of
from pathlib import Path

import nbformat
import pytest
from courses import NAMES, REGISTRY, cell, contents, exercise, make_course, notebook

from rowwise import build


@pytest.fixture
def course(tmp_path):
    return make_course(tmp_path / "course")


@pytest.fixture
def built(course):
    build.build(course, NAMES, REGISTRY)
    return course


def test_the_solution_notebook_carries_nbgraders_metadata_with_the_registrys_points(built):
    book = notebook(built, of="solutions")
    check = cell(book, "check-scores").metadata.nbgrader
    assert check == {
        "grade": True,
        "grade_id": "check-scores",
        "locked": True,
        "points": 3,
        "schema_version": 3,
        "solution": False,
        "task": False,
    }
    assert cell(book, "scores").metadata.nbgrader.solution is True
    written = cell(book, "why-rows").metadata.nbgrader
    assert (written.grade, written.solution, written.points) == (True, True, 2)


def test_the_students_notebook_has_no_solution_and_locked_checks(built):
    book = notebook(built)
    text = "\n".join(c.source for c in book.cells)
    assert "SOLUTION" not in text and "return Q" not in text and "asks its own question" not in text
    assert cell(book, "scores").source.endswith("    # YOUR CODE HERE\n    ...")
    assert (
        "Why does each query" in cell(book, "why-rows").source and "YOUR ANSWER HERE" in cell(book, "why-rows").source
    )
    assert cell(book, "check-scores").metadata.editable is False
    form = cell(notebook(built, "00-start-here"), "warm_up").source
    assert form == 'warm_up = {"scores": [None, None]}', "nothing is left below a form that students fill in"


def test_no_outputs_and_nothing_of_the_machine_is_in_a_notebook(built):
    for path in built.glob("*/*/*.ipynb"):
        book = json.loads(path.read_text())
        assert book["metadata"]["kernelspec"]["name"] == "python3"
        assert book["metadata"]["language_info"] == {"name": "python"}
        assert all(not c.get("outputs") and c.get("execution_count") is None for c in book["cells"])


def test_a_chapters_pictures_are_carried_and_its_text_is_not(built):
    assert sorted(p.name for p in (built / "notebooks/01-dot-product").iterdir()) == [
        "01-dot-product.ipynb",
        "keys.svg",
    ]


def test_links_between_chapters_lead_to_notebooks(built):
    first = notebook(built, "00-start-here").cells[0].source
    assert "(../01-dot-product/01-dot-product.ipynb#keys)" in first and "(https://example.org/a.md)" in first
    assert notebook(built).cells[-1].source.endswith("(../00-start-here/00-start-here.ipynb).")


def test_the_same_texts_give_the_same_bytes(built, tmp_path):
    again = make_course(tmp_path / "elsewhere")
    build.build(again, NAMES, REGISTRY)
    assert contents(again) == contents(built)


def test_cell_ids_come_from_names_and_contents(built):
    before = {c.source: c.id for c in notebook(built).cells}
    text = built / "solutions/01-dot-product/01-dot-product.md"
    text.write_text(text.read_text().replace("## In code", "## In code\n\n+++\n\nA new cell."))
    build.build(built, NAMES, REGISTRY)
    after = {c.source: c.id for c in notebook(built).cells}
    assert after.pop("A new cell.") not in before.values()
    assert after == before
    assert len(set(after.values())) == len(after)
    assert cell(notebook(built), "check-scores").id == "check-scores"


def interpreter(version):
    """A Python of this version that starts, pyenv's among them; else the version, for uv to find."""
    candidates = [
        shutil.which(f"python{version}"),
        *Path.home().glob(f".pyenv/versions/{version}.*/bin/python"),
    ]
    for path in filter(None, candidates):
        if subprocess.run([path, "-c", ""], capture_output=True).returncode == 0:
            return str(path)
    return version


@pytest.mark.parametrize("version", sorted({"3.11", "3.12", "3.13"} - {".".join(map(str, sys.version_info[:2]))}))
def test_another_python_gives_the_same_bytes(built, tmp_path, version):
    """Through uv, which finds the other Python; the suite's own --check says the same wherever it runs."""
    again = make_course(tmp_path / "elsewhere")
    code = (
        "import sys; from courses import REGISTRY; from rowwise.build import build;"
        "from pathlib import Path; build(Path(sys.argv[1]), ['00-start-here', '01-dot-product'], REGISTRY)"
    )
    if not shutil.which("uv"):
        pytest.skip(f"uv, which would run Python {version}, is not installed")
    uv = [
        "uv",
        "run",
        "--quiet",
        "--isolated",
        "--no-project",
        "--no-python-downloads",
        "--python",
        interpreter(version),
    ]
    uv += [
        "--with",
        f"jupytext=={version_of('jupytext')}",
        "--with",
        f"nbgrader=={version_of('nbgrader')}",
        "python",
    ]
    ready = subprocess.run([*uv, "-c", "import jupytext"], capture_output=True, text=True, cwd=tmp_path)
    if ready.returncode:
        pytest.skip(f"uv cannot provide Python {version} here: {ready.stderr.strip().splitlines()[-1]}")
    here = Path(__file__).parent
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [here, here.parent / "src"]))}
    run = subprocess.run([*uv, "-c", code, again], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert contents(again) == contents(built)


def test_a_fresh_build_has_nothing_stale_and_writes_nothing(built):
    assert build.stale(built, NAMES, REGISTRY) == []
    assert build.build(built, NAMES, REGISTRY) == []


def test_one_character_makes_both_notebooks_stale_and_checking_changes_nothing(built):
    text = built / "solutions/01-dot-product/01-dot-product.md"
    text.write_text(text.read_text().replace("One query", "One  query"))
    before = contents(built)
    lines = build.stale(built, NAMES, REGISTRY)
    assert [line.split()[0] for line in lines] == [
        "notebooks/01-dot-product/01-dot-product.ipynb",
        "solutions/01-dot-product/01-dot-product.ipynb",
    ]
    assert contents(built) == before


def test_a_missing_a_changed_and_a_stray_file_are_each_named(built):
    (built / "notebooks/00-start-here/00-start-here.ipynb").unlink()
    (built / "notebooks/01-dot-product/keys.svg").write_text("other")
    (built / "notebooks/01-dot-product/mine.txt").write_text("mine")
    (built / "solutions/01-dot-product/Untitled.ipynb").write_text("{}")
    lines = "\n".join(build.stale(built, NAMES, REGISTRY))
    assert "00-start-here.ipynb is not there" in lines and "keys.svg is not what its text makes" in lines
    assert "notebooks/01-dot-product/mine.txt is made from no text" in lines
    assert "solutions/01-dot-product/Untitled.ipynb is made from no text" in lines
    build.build(built, NAMES, REGISTRY)
    assert (built / "notebooks/01-dot-product/mine.txt").read_text() == "mine"
    assert not (built / "notebooks/01-dot-product/Untitled.ipynb").exists()


def test_a_chapter_is_named_in_full_or_by_its_number(course):
    assert build.chapter_names(course, ["01"]) == ["01-dot-product"]
    assert build.chapter_names(course, ["solutions/01-dot-product", "00-start-here"]) == NAMES
    with pytest.raises(build.BuildError, match="no chapter is called `02`"):
        build.chapter_names(course, ["02"])


def test_points_may_be_a_fraction(course):
    registry = {**REGISTRY, "scores": exercise("scores", "01-dot-product", 2.5, "function")}
    build.build(course, NAMES, registry)
    assert cell(notebook(course), "check-scores").metadata.nbgrader.points == 2.5


def test_a_page_is_handed_out_as_it_is_with_its_links(built):
    page = built / "solutions/pages/faq.md"
    page.parent.mkdir()
    text = "# Questions\n\n"
    text += "See [01](../01-dot-product/01-dot-product.md) and [this](faq.md). [Later](../02-x/02-x.md#a)."
    page.write_text(f"{text}\n\n```{{code-cell}}\n1\n```\n")
    start = built / "solutions/00-start-here/00-start-here.md"
    start.write_text(start.read_text() + "\nSee the [questions](../pages/faq.md).\n")
    build.build(built, NAMES, REGISTRY)
    made = nbformat.read(built / "notebooks/pages/faq.ipynb", as_version=4)
    links = "See [01](../01-dot-product/01-dot-product.ipynb) and [this](faq.ipynb). Later."
    assert made.cells[0].source.endswith(links) and made.cells[1].source == "1"
    assert "[questions](../pages/faq.ipynb)" in notebook(built, "00-start-here").cells[-1].source
    assert build.chapter_names(built) == NAMES and build.stale(built, NAMES, REGISTRY) == []
    page.write_text("```{code-cell}\n---\nnbgrader: {grade_id: a}\n---\n1\n```\n")
    with pytest.raises(build.BuildError, match=r"pages/faq.md, cell 1 \(a\): a page is handed out as it is"):
        build.build(built, NAMES, REGISTRY)
