import subprocess
import sys
import zipfile

import pytest
from courses import ROOT, chapter_of_registry, contents, make_course

from rowwise import build, exercises
from rowwise.build import bundle as bundling

TEXT = "solutions/01-dot-product/01-dot-product.md"


def rowwise(folder, *arguments, python=(sys.executable,)):
    """What the command returns and prints; a traceback is a failure whatever it was asked."""
    run = subprocess.run([*python, "-m", "rowwise.cli", *arguments], cwd=folder, capture_output=True, text=True)
    assert "Traceback" not in run.stderr, run.stderr
    return run.returncode, run.stdout.strip(), run.stderr.strip()


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A built course with every exercise of the registry, and the files that a student needs."""
    root = make_course(tmp_path_factory.mktemp("course"))
    for name in ("00-start-here", "01-dot-product"):
        text = chapter_of_registry(name, exercises.ALL)
        (root / "solutions" / name / f"{name}.md").write_text(text, encoding="utf-8")
    for name in bundling.FILES:
        (root / name).write_text(name)
    for name in ("src/rowwise/check.py", "src/rowwise/grading/cli.py", "src/rowwise/study/solutions/01.toml"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (root / "src/rowwise/__pycache__").mkdir()
    (root / "src/rowwise/__pycache__/check.pyc").write_text("")
    status, out, err = rowwise(root / "solutions", "build")
    assert (status, err) == (0, "") and out.count("is made.") == 5, (out, err)
    return root


def test_checking_a_fresh_build_exits_with_0(course):
    assert rowwise(course, "build", "--check") == (0, "Every notebook is what its text makes.", "")


def test_after_one_character_checking_names_the_files_and_exits_with_1(course):
    text = (course / TEXT).read_text()
    (course / TEXT).write_text(text.replace("# 01", "# 0l"))
    before = contents(course)
    status, out, err = rowwise(course, "build", "--check", "01")
    assert (status, out) == (1, "")
    assert "notebooks/01-dot-product/01-dot-product.ipynb is not what its text makes." in err
    assert err.endswith("Run rowwise build 01.")
    assert rowwise(course, "build", "--check", "00")[0] == 0
    assert contents(course) == before
    (course / TEXT).write_text(text)


def test_what_is_wrong_is_one_sentence_on_stderr(course, tmp_path):
    for folder, arguments, sentence in [
        (tmp_path, ["build"], "there is no course here"),
        (course, ["build", "07"], "no chapter is called `07`"),
        (course, ["bundle", "solutions"], "it is there already"),
        (course, ["bundle", "start.py"], "it is there already"),
        (course, ["bundle", "start.py/out"], "Not a directory"),
    ]:
        status, out, err = rowwise(folder, *arguments)
        assert (status, out) == (1, "") and sentence in err and len(err.splitlines()) == 1, (arguments, err)


def test_a_missing_package_is_a_sentence(course):
    hidden = "import sys, runpy; sys.modules['jupytext'] = sys.modules['jupytext.myst'] = None; "
    code = hidden + "sys.argv[0] = 'rowwise'; del sys.argv[1:3]; runpy.run_module('rowwise.cli', run_name='__main__')"
    status, _, err = rowwise(course, "build", "--check", python=(sys.executable, "-c", code))
    assert status == 1 and "pip install 'rowwise[teach]'" in err and len(err.splitlines()) == 1


def test_a_bundle_has_what_students_need_and_nothing_that_gives_a_solution_away(course, tmp_path):
    status, _, err = rowwise(course, "bundle", str(tmp_path / "class"))
    assert (status, err) == (0, ""), err
    handed = {path.as_posix() for path in contents(tmp_path / "class")}
    assert handed == {
        *bundling.FILES,
        "src/rowwise/check.py",
        "notebooks/00-start-here/00-start-here.ipynb",
        "notebooks/01-dot-product/01-dot-product.ipynb",
        "notebooks/01-dot-product/keys.svg",
    }
    notebooks = b"".join(path.read_bytes() for path in (tmp_path / "class").rglob("*.ipynb"))
    assert b"SOLUTION" not in notebooks and b"return 1" not in notebooks


def test_a_zip_holds_the_same_files_and_is_the_same_every_time(course, tmp_path):
    for out in ("class", "rowwise.zip", "again/rowwise.zip"):
        bundling.bundle(course, tmp_path / out, exercises.ALL)
    with zipfile.ZipFile(tmp_path / "rowwise.zip") as archive:
        found = {name.removeprefix("rowwise/"): archive.read(name) for name in archive.namelist()}
    assert found == {path.as_posix(): data for path, data in contents(tmp_path / "class").items()}
    assert (tmp_path / "rowwise.zip").read_bytes() == (tmp_path / "again/rowwise.zip").read_bytes()


def test_a_stale_notebook_or_a_missing_file_is_not_handed_out(course, tmp_path):
    (course / "environment.yml").rename(tmp_path / "kept")
    with pytest.raises(build.BuildError, match=r"^environment.yml: it is not there"):
        bundling.bundle(course, tmp_path / "class", exercises.ALL)
    (tmp_path / "kept").rename(course / "environment.yml")
    (course / "notebooks/mine.txt").write_text("mine")
    with pytest.raises(build.BuildError, match=r"notebooks/mine.txt is made from no text"):
        bundling.bundle(course, tmp_path / "class", exercises.ALL)
    (course / "notebooks/mine.txt").unlink()
    assert not (tmp_path / "class").exists()


def test_every_committed_notebook_is_what_its_text_makes():
    status, out, err = rowwise(ROOT, "build", "--check")
    assert status == 0, f"{out}\n{err}"
