"""start.py puts the chapters into work/, and nothing that is there is ever changed."""

import importlib.util
import json
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starts import ROOT

spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
start = importlib.util.module_from_spec(spec)
spec.loader.exec_module(start)

NOTEBOOK = "01-rows/01-rows.ipynb"


@pytest.fixture
def course(tmp_path):
    return Course(tmp_path)


class Course:
    """Two chapters, one of them with a picture, the pages beside them, and a work folder."""

    def __init__(self, folder):
        self.source, self.work = folder / "notebooks", folder / "work"
        self.publish("one")
        self.write(self.source / "00-start-here" / "00-start-here.ipynb", "hello")
        self.write(self.source / "pages" / "glossary.md", "words")
        self.write(self.source / ".ipynb_checkpoints" / "old.ipynb", "not a chapter")

    def publish(self, version):
        self.write(self.source / NOTEBOOK, version)
        self.write(self.source / "01-rows" / "pictures" / "row.png", f"picture of {version}")

    def write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def lay(self):
        return start.lay_chapters(self.source, self.work)

    def holds(self):
        """{file in work: its bytes}, without start.py's own memory."""
        return {
            path.relative_to(self.work).as_posix(): path.read_bytes()
            for path in self.work.rglob("*")
            if path.is_file() and ".rowwise" not in path.parts
        }


def test_a_chapter_is_laid_with_all_its_files(course):
    assert course.lay() == []
    assert course.holds() == {
        "00-start-here/00-start-here.ipynb": b"hello",
        NOTEBOOK: b"one",
        "01-rows/pictures/row.png": b"picture of one",
        "pages/glossary.md": b"words",
    }


def test_a_second_start_changes_nothing(course):
    course.lay()
    times = {path: path.stat().st_mtime_ns for path in course.work.rglob("*.ipynb")}
    before = course.holds()
    assert course.lay() == []
    assert course.holds() == before
    assert {path: path.stat().st_mtime_ns for path in times} == times


@pytest.mark.parametrize("edit", ["mine", None], ids=["worked on", "untouched"])
def test_a_newer_chapter_is_laid_beside_whole_and_said_so(course, edit):
    course.lay()
    if edit:
        course.write(course.work / NOTEBOOK, edit)
    before = course.holds()
    course.publish("two")
    (sentence,) = course.lay()
    assert "01-rows has a newer version: it is in 01-rows-newer" in sentence
    assert course.holds() == before | {
        "01-rows-newer/01-rows.ipynb": b"two",
        "01-rows-newer/pictures/row.png": b"picture of two",
    }
    assert course.lay() == [], "it is laid once"
    course.publish("three")
    assert "01-rows-newer-2" in course.lay()[0]
    assert (course.work / "01-rows-newer-2" / "01-rows.ipynb").read_text() == "three"


def test_my_changes_alone_bring_no_newer_version(course):
    course.lay()
    course.write(course.work / NOTEBOOK, "mine")
    course.write(course.work / "01-rows" / "notes.md", "mine too")
    assert course.lay() == []
    assert (course.work / NOTEBOOK).read_text() == "mine"


def test_a_newer_version_that_was_thrown_away_stays_away(course):
    course.lay()
    course.publish("two")
    course.lay()
    shutil.rmtree(course.work / "01-rows-newer")
    assert course.lay() == []
    assert not (course.work / "01-rows-newer").exists()


def test_a_file_taken_away_is_put_back_fresh(course):
    course.lay()
    (course.work / NOTEBOOK).rename(course.work / "01-rows" / "first-try.ipynb")
    assert course.lay() == [f"{NOTEBOOK} was gone: a fresh one is there."]
    assert (course.work / NOTEBOOK).read_text() == "one"
    assert (course.work / "01-rows" / "first-try.ipynb").read_text() == "one"
    shutil.rmtree(course.work / "01-rows")
    course.lay()
    assert (course.work / NOTEBOOK).read_text() == "one"


@pytest.mark.parametrize("memory", [None, "", "[1]", "{"], ids=["lost", "empty", "not a dict", "cut off"])
def test_without_its_memory_it_lays_nothing_twice(course, memory):
    course.lay()
    path = course.work / ".rowwise" / "laid.json"
    path.unlink() if memory is None else path.write_text(memory)
    before = course.holds()
    assert course.lay() == []
    assert course.holds() == before
    assert json.loads(path.read_text())["01-rows"]["01-rows"], "and remembers again"


def test_something_else_of_a_chapters_name_is_left_alone(course):
    course.write(course.work / "01-rows", "a file of my own")
    assert "01-rows-newer" in course.lay()[0]
    assert (course.work / "01-rows").read_text() == "a file of my own"


def test_what_an_interrupted_start_left_is_cleared(course):
    course.write(course.work / ".laying-abc" / "chapter" / "01-rows.ipynb", "half")
    course.lay()
    assert not list(course.work.glob(".laying-*"))


def test_a_folder_in_the_course_is_kept_out_of_every_commit(course, monkeypatch):
    monkeypatch.setattr(start, "ROOT", course.work.parent)
    course.lay()
    assert (course.work / ".gitignore").read_text() == "*\n"


steps = st.one_of(
    st.tuples(st.just("publish"), st.sampled_from(["one", "two", "three"])),
    st.tuples(st.just("write"), st.sampled_from(["01-rows", "01-rows-newer", "01-rows-newer-2"])),
    st.tuples(st.just("remove"), st.sampled_from(["01-rows", "01-rows-newer", "00-start-here"])),
    st.tuples(st.just("forget"), st.just("")),
    st.tuples(st.just("lay"), st.just("")),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, max_size=10))
def test_whatever_happens_no_file_in_work_is_changed_or_lost(tmp_path_factory, happenings):
    course = Course(tmp_path_factory.mktemp("course"))
    for what, name in [*happenings, ("lay", "")]:
        if what == "publish":
            course.publish(name)
        elif what == "write":
            course.write(course.work / name / "01-rows.ipynb", f"mine in {name}")
        elif what == "remove":
            shutil.rmtree(course.work / name, ignore_errors=True)
        elif what == "forget":
            (course.work / ".rowwise" / "laid.json").unlink(missing_ok=True)
        else:
            before = course.holds()
            course.lay()
            after = course.holds()
            assert {path: after.get(path) for path in before} == before
            assert course.lay() == [], "a second start has nothing to say"
