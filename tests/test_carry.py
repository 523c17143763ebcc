"""A student's own functions go with them from chapter to chapter, in a file beside the notebook."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

KEEP = """
import numpy as np
from rowwise import study

SHIFT = 0.0

def largest(row):
    return row.max(axis=-1, keepdims=True)

def softmax_rows(S):
    S = np.asarray(S, dtype=float)
    top = largest(S)
    e = np.exp(S - np.where(np.isinf(top), 0, top) + SHIFT)
    return e / e.sum(axis=-1, keepdims=True)
"""


def run(folder: Path, *cells: str) -> str:
    """What the cells print, run by a real kernel in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(textwrap.dedent(cell)) for cell in cells])
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(folder)}}).execute()
    return "".join(o.get("text", "") for cell in notebook.cells for o in cell.outputs)


@pytest.fixture(autouse=True)
def progress_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("ROWWISE_HOME", str(tmp_path / "home"))


def test_a_function_and_what_it_calls_is_found_in_a_later_chapter_and_copied_there(tmp_path):
    said = run(tmp_path / "03-rowwise-softmax", KEEP, "study.keep(softmax_rows)")
    assert "softmax_rows is kept in mine.py" in said
    use = "from rowwise import study\nmine = study.carry('softmax_rows')\nprint(mine.softmax_rows([[0.0, 0.0]]))"
    said = run(tmp_path / "06-self-and-cross-attention", use)
    assert "Your own: softmax_rows." in said and "[[0.5 0.5]]" in said
    (tmp_path / "03-rowwise-softmax" / "mine.py").unlink()
    said = run(tmp_path / "06-self-and-cross-attention", use)
    assert "Your own: softmax_rows." in said, "the chapter's own file is enough, as when it is graded alone"


def test_where_a_function_is_missing_a_working_version_stands_in_and_says_so(tmp_path):
    said = run(
        tmp_path / "06-self-and-cross-attention",
        """
        import numpy as np
        from rowwise import study
        mine = study.carry("scaled_scores", "mix_values")
        print(mine.scaled_scores(np.array([[2.0, 0, 0, 0]]), np.array([[3.0, 0, 0, 0]])))
        """,
    )
    assert "A working version stands in for: scaled_scores, mix_values." in said
    assert "[[3.]]" in said  # 2 · 3 / √4


def test_a_function_whose_check_is_not_passed_is_neither_kept_nor_carried(tmp_path):
    wrong = "import numpy as np\nfrom rowwise import study\ndef mix_values(W, V):\n    return W.T @ V"
    assert "is not kept yet" in run(tmp_path / "04-weighted-sum", wrong, "study.keep(mix_values)")
    assert not (tmp_path / "04-weighted-sum" / "mine.py").exists()
    (tmp_path / "04-weighted-sum" / "mine.py").write_text("def mix_values(W, V):\n    return W.T @ V\n")
    said = run(tmp_path / "06-x", "from rowwise import study\nstudy.carry('mix_values');")
    assert "A working version stands in for: mix_values." in said


def test_nothing_that_a_student_wrote_into_the_file_is_lost(tmp_path):
    folder = tmp_path / "04-weighted-sum"
    folder.mkdir()
    (folder / "mine.py").write_text("NOTE = 'mine'\n\ndef other(x):\n    # a remark\n    return x + 1\n")
    function = "import numpy as np\nfrom rowwise import study\ndef mix_values(W, V):\n    return W @ V"
    run(folder, function, "study.keep(mix_values)")
    namespace: dict = {}
    exec((folder / "mine.py").read_text(), namespace)
    assert (
        namespace["NOTE"] == "mine" and namespace["other"](1) == 2 and "# a remark" in (folder / "mine.py").read_text()
    )
    assert np.array_equal(namespace["mix_values"](np.eye(2), np.eye(2)), np.eye(2))


def test_a_file_that_is_no_longer_python_is_set_aside_and_said_so(tmp_path):
    folder = tmp_path / "04-weighted-sum"
    folder.mkdir()
    (folder / "mine.py").write_text("def mix_values(W, V:\n")
    function = "import numpy as np\nfrom rowwise import study\ndef mix_values(W, V):\n    return W @ V"
    said = run(folder, function, "study.keep(mix_values)")
    assert "mine-set-aside-1.py" in said
    assert (folder / "mine-set-aside-1.py").read_text() == "def mix_values(W, V:\n"


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid"), reason="file permissions work otherwise on Windows")
def test_a_folder_without_write_permission_gets_a_sentence(tmp_path):
    folder = tmp_path / "04-weighted-sum"
    folder.mkdir()
    program = (
        "import os, linecache\n"
        "source = 'def mix_values(W, V):\\n    return W @ V\\n'\n"
        "linecache.cache['<cell>'] = (len(source), None, source.splitlines(True), '<cell>')\n"
        "scope = {'__name__': '__main__'}\n"
        "exec(compile(source, '<cell>', 'exec'), scope)\n"
        "from rowwise import exercises, study\n"
        "exercises.ALL['mix_values'].cases()\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        f"study.keep(scope['mix_values'], {str(folder)!r})\n"
    )
    folder.chmod(0o555)
    tmp_path.chmod(0o755)
    try:
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    finally:
        folder.chmod(0o755)
    assert "could not be written here" in done.stdout, done.stdout + done.stderr
    assert not done.stderr
