"""What an instructor and a student see: formgrader, feedback, the report, an explained mark; in a real browser."""

import csv
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import conftest
import grading_course as class_
import pytest

pytest.importorskip("nbgrader")

from rowwise.grading import isolation, tex

CHAPTER = class_.CHAPTER
NAMED = "transposed"


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A graded class of five: right, one mistake, untouched, unreadable, and one whose answer tries to act."""
    try:
        isolation.best()
    except isolation.NoIsolation as missing:
        pytest.skip(str(missing))
    course = class_.released_course(tmp_path_factory.mktemp("course"))
    release = class_.released(course)
    hand_in = class_.hand_in
    hand_in(course, "ann", class_.answered(release, class_.RIGHT))
    hand_in(course, "bob", class_.answered(release, class_.RIGHT | {"scores": "def scores(Q, K):\n    return K @ Q.T"}))
    hand_in(course, "cas", release)
    hand_in(course, "dan", "{")
    sly = "$Q K^\\top$ <script>document.title = 'acted'</script><img src=x onerror=\"document.title = 'acted'\">"
    hand_in(course, "=eve", class_.answered(release, class_.RIGHT | {"why-rows": sly}))
    class_.rowwise(course, "grade", CHAPTER)
    return course


@pytest.fixture(scope="module")
def report(course):
    class_.rowwise(course, "report", CHAPTER)
    class_.rowwise(course, "report")
    return course / "autograder" / "reports"


def open_page(browser, url):
    """A page, with the addresses that it asked for beyond its own; nothing leaves this machine."""
    page = browser.new_context(viewport={"width": 1100, "height": 900}).new_page()
    page.asked = []
    page.route(
        lambda address: not address.startswith(("file:", "data:", "blob:", "http://127.0.0.1")),
        lambda route: (page.asked.append(route.request.url), route.abort()),
    )
    page.goto(url)
    return page


@pytest.mark.browser
def test_a_feedback_page_names_the_mistake_and_opens_with_no_network(course, browser):
    class_.run(course, "nbgrader", "generate_feedback", CHAPTER)
    for student in ("bob", "=eve", "dan"):
        page = open_page(browser, (course / f"autograder/feedback/{student}/{CHAPTER}/{CHAPTER}.html").as_uri())
        assert page.asked == []
        assert page.title() == CHAPTER
        text = page.inner_text("body")
        if student == "bob":
            assert "0 of 3 points" in text
            assert "one row per key" in text or "one row a key" in text
        if student == "=eve":
            assert page.locator("math").count() >= 1
        if student == "dan":
            assert "breaks off" in text
        page.context.close()


@pytest.mark.browser
def test_formgrader_shows_the_marks_and_takes_one_for_a_written_answer(course, browser, tmp_path):
    server, url = start_formgrader(course, tmp_path)
    try:
        page = open_page(browser, f"{url}/formgrader/gradebook/{CHAPTER}/{CHAPTER}")
        page.wait_for_selector("td.score, td", timeout=30000)
        page.wait_for_function("document.body.innerText.includes('Submission #')", timeout=30000)
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{course / 'autograder' / 'gradebook.db'}", "rowwise") as book:
            number = book.find_submission_notebook(CHAPTER, CHAPTER, "bob").id
            assert book.find_submission_notebook(CHAPTER, CHAPTER, "bob").score == 8
        page.goto(f"{url}/formgrader/submissions/{number}/")
        page.wait_for_selector("input.score", timeout=30000)
        page.wait_for_function(
            "[...document.querySelectorAll('input.score')].some(i => i.placeholder === '0' || i.placeholder === '0.0')"
        )
        boxes = page.locator("input.score")
        box = boxes.nth(boxes.count() - 1)  # the written answer is the chapter's last graded cell
        box.fill("1.5")
        box.press("Tab")
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with Gradebook(f"sqlite:///{course / 'autograder' / 'gradebook.db'}", "rowwise") as book:
                given = book.find_grade("why-rows", CHAPTER, CHAPTER, "bob").manual_score
            if given is not None:
                break
            time.sleep(0.3)
        assert given == 1.5
        page.context.close()
    finally:
        server.terminate()
        server.wait(20)


def start_formgrader(course, tmp_path):
    port = conftest.free_port()
    options = ["--no-browser", f"--ServerApp.port={port}", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=",
               "--ServerApp.disable_check_xsrf=True"]  # fmt: skip
    options += ['--ServerApp.jpserver_extensions={"nbgrader.server_extensions.formgrader": True}']
    options += ["--allow-root"] if os.geteuid() == 0 else []
    env = os.environ | {
        "HOME": str(tmp_path),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path),
    }
    log = (tmp_path / "server.log").open("w")
    server = subprocess.Popen([sys.executable, "-m", "jupyter_server", *options], cwd=course / "autograder", env=env,
                              stdout=log, stderr=log)  # fmt: skip
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status", timeout=5).close()
            return server, f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.3)
    server.kill()
    raise AssertionError((tmp_path / "server.log").read_text()[-3000:])


def test_nbgraders_export_has_the_marks(course):
    class_.run(course, "nbgrader", "export")
    marks = {row[3]: row[7] for row in rows(course / "autograder" / "grades.csv")[1:]}
    assert marks["ann"] == "11.0"
    assert marks["cas"] == "0.0"


def test_the_report_says_who_made_which_mistake(report):
    page = (report / CHAPTER / "report.html").read_text()
    assert "transposed-scores" in page
    assert "bob" in page
    assert "breaks off" in page
    assert "outside the student&#x27;s process" in page
    assert "in the student&#x27;s process" in page


def test_the_projectors_page_names_nobody(report):
    page = (report / CHAPTER / "projector.html").read_text()
    assert "transposed-scores" in page
    for student in ("ann", "bob", "cas", "dan", "eve"):
        assert f">{student}" not in page
        assert f"{student}," not in page and f", {student}" not in page


@pytest.mark.browser
def test_the_reports_open_with_no_network_and_no_script(report, browser):
    for name in (f"{CHAPTER}/report.html", f"{CHAPTER}/projector.html", "course.html"):
        page = open_page(browser, (report / name).as_uri())
        assert page.asked == []
        assert page.locator("script").count() == 0
        assert page.locator("h1").count() == 1
        page.context.close()


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_canvas_and_moodle_get_complete_marks_only_and_no_formulas(course, report):
    canvas = rows(report / CHAPTER / "canvas.csv")
    assert canvas[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", CHAPTER]
    assert canvas[1][-1] == "13"
    marks = {row[3]: row[5] for row in canvas[2:]}
    assert marks["cas"] == "0"
    assert marks["ann"] == ""  # the written answer still waits
    assert "'=eve" in marks
    moodle = rows(report / CHAPTER / "moodle.csv")
    assert moodle[0] == ["Username", "First name", "Last name", "Email address", CHAPTER]
    assert {row[0] for row in moodle[1:]} == set(marks)


def test_the_numbers_behind_the_report_add_up(report):
    exercises = {row[0]: row for row in rows(report / CHAPTER / "exercises.csv")[1:]}
    assert exercises["scores"][1:5] == [
        "3.0",
        "4",
        "0.5",
        "2",
    ]  # right, 0, untouched, right; the unreadable one is no 0
    assert ["scores", "transposed-scores", "1"] in rows(report / CHAPTER / "mistakes.csv")
    assert rows(report / CHAPTER / "problems.csv")[1][:2] == ["dan", "no mark"]


def test_a_mark_is_explained_case_by_case(course):
    done = class_.rowwise(course, "grade", CHAPTER, "--student", "bob", "--explain")
    assert "check-scores: 0 of 3, judged outside the student's process" in done.stdout
    assert "asked, argument 1: float64 (2, 4)" in done.stdout
    assert "came: float64 (3, 2)" in done.stdout
    assert "mistake: transposed-scores" in done.stdout


def test_doctor_says_what_this_machine_gives():
    done = subprocess.run([sys.executable, "-m", "rowwise.cli", "doctor"], capture_output=True, text=True)
    assert "bubblewrap" in done.stdout
    assert "Traceback" not in done.stderr


def test_doctor_says_how_to_get_what_is_missing():
    done = subprocess.run([sys.executable, "-m", "rowwise.cli", "doctor"], capture_output=True, text=True,
                          env=os.environ | {"PATH": "/nowhere"})  # fmt: skip
    assert done.returncode == 1
    assert "apt-get install bubblewrap" in done.stdout


def test_a_rehearsal_gives_every_made_up_student_the_mark_deserved(course, tmp_path, monkeypatch):
    with (course / "autograder" / "nbgrader_config.py").open("a") as config:
        config.write("\nc.Grading.cell_seconds = 3\n")
    done = class_.rowwise(course, "rehearse", CHAPTER, "--keep", str(tmp_path / "kept"), check=False)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "kept" / "report" / "report.html").exists()
    words = done.stdout.splitlines()[-1].split()
    assert words[1] == words[4]  # so many submissions, so many with the right marks


# ---- formulas without a script


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        (r"Q K^\top", "<mi>Q</mi><msup><mi>K</mi><mo>⊤</mo></msup>"),
        (r"\sqrt{d_k}", "<msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt>"),
        (r"\frac{1}{2}", "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>"),
        (r"s_{ij}^2", "<msubsup><mi>s</mi><mrow><mi>i</mi><mi>j</mi></mrow><mn>2</mn></msubsup>"),
        (r"a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        (r"\text{row sum}", "<mtext>row sum</mtext>"),
    ],
)
def test_a_formula_becomes_mathml(formula, wanted):
    assert tex.mathml(formula) == f"<math>{wanted}</math>"


def test_code_and_prices_are_no_formulas():
    text = "It costs $5 or $6. `$x$` and\n```\n$y$\n```\n"
    assert tex.in_markdown(text) == text


def test_every_formula_of_the_chapters_can_be_drawn():
    solutions = Path(__file__).parent.parent / "solutions"
    unknown = []
    for path in solutions.glob("[0-9]*/*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "markdown":
                unknown += [(path.name, out) for out in [tex.in_markdown("".join(cell["source"]))] if "<code>" in out]
    assert unknown == []
