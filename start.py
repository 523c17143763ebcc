"""Start the course:  python start.py

The first start makes .venv, installs the packages of requirements.lock into it, puts the chapters into work/
and opens JupyterLab there. Later starts install nothing. Whatever is in work/ stays as it is: a newer version
of a chapter is laid beside the one that is there.

`python start.py test` sets up the same way, with requirements-test.lock too, and runs the tests.

Only Python's own library is used, in a syntax that even Python 2.7 can read (no f-strings, no annotations),
so that an old Python gives a sentence instead of a SyntaxError.
"""

from __future__ import print_function

import platform
import sys

if not (3, 11) <= sys.version_info[:2] <= (3, 14) or platform.python_implementation() != "CPython":
    sys.exit(
        "Rowwise needs CPython 3.11, 3.12, 3.13 or 3.14, and this is {} {}.\n"
        "Install one of those (python.org has them) and start with it by name, for example\n"
        "  python3.13 start.py\n"
        "or, on Windows,\n"
        "  py -3.13 start.py".format(platform.python_implementation(), platform.python_version())
    )

import argparse
import contextlib
import errno
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

WINDOWS = os.name == "nt"
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if WINDOWS else "bin")
PYTHON = BIN / ("python.exe" if WINDOWS else "python")
STAMP = VENV / "rowwise-start.json"  # what was installed; in .venv, so that it goes when .venv goes
LOG = VENV / "rowwise-start.log"
FIRST = "00-start-here"
LOCK, TEST_LOCK = "requirements.lock", "requirements-test.lock"

NEEDED_BYTES = 700 * 1024**2  # .venv comes to about 500 MB, and packages are unpacked elsewhere first
LONGEST_INSTALLED = 166  # characters of the longest installed path, from the project's folder on
LONGEST_ON_WINDOWS = 259  # where long paths are off

# The kinds of failure: the signs of it in what pip and uv print (the first kind that fits is taken), and what
# the reader is told.
FAILURES = [
    (
        "room",
        "no space left|os error 28|errno 28|not enough space|disk quota exceeded",
        "There is no room left on the disk. The course needs about 500 MB in {root}, and for a while as much "
        "again in the folder for temporary files. Make room and start again.",
    ),
    (
        "path",
        "filename or extension is too long|file name too long|winerror 206|long path support",
        "A path became longer than this system takes. Move the folder {root} nearer to the top of the disk "
        "and start again.",
    ),
    (
        "lock",
        "do not match the hashes|hash mismatch|hashes are required|invalid requirement|couldn't parse"
        "|require-hashes|unknown hash|invalid hash",
        "{lock} is damaged: what it says of a package and the package differ. Bring the file back with\n"
        "  git checkout -- {lock}\n"
        "or download the course again. Then start again.",
    ),
    (
        "permission",
        "permission denied|access is denied|read-only file system",
        "A file in {root} could not be written. Close a JupyterLab that still runs from there; if none does, "
        "move the folder to a place that is yours, such as your home folder. Then start again.",
    ),
    (
        "network",
        "connection|failed to fetch|error sending request|name resolution|getaddrinfo|timed out|ssl|proxy"
        "|certificate|unreachable|status code|http error",
        "The packages could not be fetched. Check the connection to the internet (behind a proxy, set "
        "HTTPS_PROXY) and start again.",
    ),
    (
        "wheel",
        "no matching distribution|no usable wheels|no wheels|no solution found",
        "One of the packages has no ready-made file for Python {python} on this machine. Start with another "
        "64-bit Python from 3.11 to 3.14 (python.org has them).",
    ),
    (
        "other",
        "",
        "The packages could not be installed. Start again; if the same happens, send the lines below to "
        "whoever runs the course.",
    ),
]


class Problem(Exception):
    """Something that the reader can act on: `sentence` says what happened and what to do."""

    def __init__(self, sentence, kind="other"):
        super().__init__(sentence)
        self.sentence, self.kind = sentence, kind


def failure(kind, lock=LOCK, more=""):
    """The Problem of one of the FAILURES."""
    sentence = next(sentence for name, _, sentence in FAILURES if name == kind)
    return Problem(sentence.format(root=ROOT, lock=lock, python=platform.python_version()) + more, kind)


def kind_of(output):
    """The kind of failure that the output of pip or uv speaks of."""
    output = output.lower()
    return next(kind for kind, signs, _ in FAILURES if any(sign in output for sign in signs.split("|")))


def problem_of(error):
    """The Problem that an OSError of our own amounts to."""
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", None)):
        return failure("room")
    if error.errno == errno.ENAMETOOLONG or getattr(error, "winerror", None) == 206:
        return failure("path")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return failure("permission", more="\n({})".format(error))
    return Problem("{}. Put that right and start again.".format(error))


# The environment


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_json(path):
    """The dict in a JSON file; an empty one where the file is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path, content):
    half = path.with_suffix(".half")
    half.write_text(json.dumps(content, indent=1, sort_keys=True), encoding="utf-8")
    os.replace(str(half), str(path))


def surroundings():
    """The environment variables of what is started: .venv first on the PATH, no other Python's settings."""
    env = dict(os.environ)
    for name in ("PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "__PYVENV_LAUNCHER__"):
        env.pop(name, None)
    env.update(VIRTUAL_ENV=str(VENV), PATH=str(BIN) + os.pathsep + env.get("PATH", ""), PIP_USER="0")
    if WINDOWS:
        # The file in .venv that leads to src is UTF-8, and Python 3.11 and 3.12 would read it in the
        # system's encoding: one accent in the folder's name, and rowwise is not found.
        env["PYTHONUTF8"] = "1"
    return env


def working_python(modules="rowwise"):
    """The version of .venv's Python, as 3.12; "" when it does not run or cannot import the modules."""
    probe = "import sys, {}; print('{{}}.{{}}'.format(*sys.version_info))".format(modules)
    try:
        answer = subprocess.run([str(PYTHON), "-c", probe], env=surroundings(), capture_output=True, text=True)
    except OSError:
        return ""
    return answer.stdout.strip()


def is_whole(stamp):
    """True when a start finished this .venv in this folder, and its Python is still the one of then."""
    here = stamp.get("finished") and stamp.get("folder") == str(ROOT)
    return bool(here) and stamp.get("python", "") == working_python()


def stale(stamp, locks):
    """Of the files that .venv is made from: those that are not as they were then."""
    for name in locks:
        if not (ROOT / name).is_file():
            raise Problem("{0} is missing. Bring it back with\n  git checkout -- {0}".format(name))
    return [name for name in locks + ["pyproject.toml"] if stamp.get("files", {}).get(name) != digest(ROOT / name)]


def set_up(locks):
    """Bring .venv to what the locks say; return at once where that was done before."""
    stamp = read_json(STAMP)
    if not stale(stamp, locks) and is_whole(stamp):
        return
    with one_at_a_time() as held:
        stamp = read_json(STAMP)  # again: another start may have finished it while we waited
        if not is_whole(stamp):
            stamp = make_venv(held)
        before = dict(stamp)
        for name in stale(stamp, locks):
            # Not finished from here on: if this step is interrupted, the next start makes .venv afresh.
            write_json(STAMP, dict(stamp, finished=False))
            try:
                if name == "pyproject.toml":
                    # Its build backend is in the lock: with build isolation it would be fetched, unpinned.
                    install(["--no-deps", "--no-build-isolation", "--no-index", "-e", ROOT], held)
                else:
                    install(["--require-hashes", "--only-binary", ":all:", "-r", ROOT / name], held, name)
            except Problem as problem:
                if problem.kind == "network":
                    write_json(STAMP, before)  # pip and uv fetch everything before they change anything
                raise
            stamp["files"][name] = digest(ROOT / name)
        quieten_jupyterlab()
        python = working_python()
        if not python:
            raise Problem(
                "Everything is installed, and yet Python does not find rowwise in {}. Move the folder to a path "
                "of plain letters and start again.".format(ROOT / "src")
            )
        write_json(STAMP, dict(stamp, finished=True, python=python))


def make_venv(held):
    """Make .venv, with nothing in it yet, and return its stamp.

    One that a start of ours left unfinished is removed; one that is somebody else's is moved aside.
    """
    if STAMP.is_file():
        print("The .venv here is unfinished, damaged or from another folder: making it afresh.")
        try:
            shutil.rmtree(str(VENV))
        except OSError as error:
            raise Problem(
                "{} cannot be removed ({}). Close what still uses it, such as a JupyterLab in another "
                "window, and start again.".format(VENV, error.strerror)
            )
    elif os.path.lexists(str(VENV)):
        aside = unused(ROOT / ".venv-aside")
        os.rename(str(VENV), str(aside))
        print("The .venv here was not made by start.py. It is now {}: yours to keep or delete.".format(aside.name))
    lacks_pip = importlib.util.find_spec("ensurepip") is None and not shutil.which("uv")
    if lacks_pip or importlib.util.find_spec("venv") is None:
        raise Problem(
            "This Python came without its venv module. On Debian and Ubuntu that is a package of its own:\n"
            "  sudo apt install python{}.{}-venv\n"
            "Elsewhere, install Python from python.org. Then start again.".format(*sys.version_info)
        )
    if shutil.disk_usage(str(ROOT)).free < NEEDED_BYTES:
        raise failure("room")
    print("Making .venv with Python {} ...".format(platform.python_version()))
    VENV.mkdir()
    stamp = {"finished": False, "folder": str(ROOT), "files": {}}
    write_json(STAMP, stamp)
    # _base_executable: this Python may itself be that of a .venv, even of the one just removed.
    run([getattr(sys, "_base_executable", "") or sys.executable, "-m", "venv", "--without-pip", VENV], held)
    return stamp


def install(arguments, held, lock=None):
    """Install with uv where there is one (it takes seconds), else with pip; Problem when neither can."""
    print("Installing {} ...".format("the packages of " + lock if lock else "rowwise itself"))
    uv = shutil.which("uv")
    if uv:
        try:
            return run([uv, "pip", "install", "--python", PYTHON] + arguments, held, lock)
        except Problem as problem:
            # pip may know of a mirror or a certificate that uv does not; otherwise it would say the same.
            if problem.kind not in ("network", "other") or importlib.util.find_spec("ensurepip") is None:
                raise
            print("uv could not; trying pip ...")
    if subprocess.call([str(PYTHON), "-c", "import pip"], env=surroundings(), stderr=subprocess.DEVNULL):
        run([PYTHON, "-m", "ensurepip"], held)
    quiet = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--retries", "3"]
    return run([PYTHON, "-m", "pip", "install"] + quiet + arguments, held, lock)


def run(command, held, lock=None):
    """Run a program to its end; show how far it is when it installs a lock. Raise Problem when it fails.

    What it prints goes to LOG. `held` stays open in it: a start that is killed leaves it running, and the
    next start waits for it.
    """
    child = subprocess.Popen(
        [str(word) for word in command],
        cwd=str(ROOT),
        env=dict(surroundings(), PYTHONIOENCODING="utf-8"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        pass_fds=() if WINDOWS else (held.fileno(),),
    )
    lines = []
    listener = threading.Thread(target=lambda: lines.extend(iter(child.stdout.readline, "")), daemon=True)
    try:
        listener.start()
        progress = Progress(lock) if lock else None
        while listener.is_alive():
            listener.join(0.3)
            if progress:
                progress.show(list(lines))
        status = child.wait()
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait()
        if sys.stdout.isatty() and lock:
            print()
    output = "".join(lines)
    with contextlib.suppress(OSError), LOG.open("a", encoding="utf-8") as log:
        log.write("$ {}\n{}\n".format(" ".join(map(str, command)), output))
    if status:
        kind = kind_of(output[-4000:])
        if kind == "room":
            shutil.rmtree(str(VENV), ignore_errors=True)  # half of it helps nobody, the room does
        raise failure(kind, lock or LOCK, "\n\n" + "".join(lines[-12:]) if kind == "other" else "")


class Progress:
    """Says how many packages are fetched and installed: on a terminal in one line, else now and then."""

    def __init__(self, lock):
        named = (ROOT / lock).read_text(encoding="utf-8", errors="replace").splitlines()
        self.about = sum(line[:1].isalpha() for line in named)  # about: some are for other systems only
        self.before, self.shown = self.installed(), 0

    @staticmethod
    def installed():
        where = "Lib/site-packages" if WINDOWS else "lib/python*/site-packages"
        return sum(1 for _ in VENV.glob(where + "/*.dist-info"))

    def show(self, lines):
        fetched = sum(line.startswith("Collecting ") for line in lines)  # pip says so; uv is quick
        installed = self.installed() - self.before
        step = 1 if sys.stdout.isatty() else 25
        if fetched + installed >= self.shown + step:
            self.shown = fetched + installed
            text = "  {}{} of about {} installed".format(
                "{} fetched, ".format(fetched) if fetched else "", installed, self.about
            )
            print(text, end="\r" if sys.stdout.isatty() else "\n", flush=True)


def quieten_jupyterlab():
    """Keep JupyterLab from asking, when it first opens, whether it may fetch news."""
    settings = VENV / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    write_json(settings / "overrides.json", {"@jupyterlab/apputils-extension:notification": quiet})


@contextlib.contextmanager
def one_at_a_time():
    """Hold the lock that keeps two starts from setting up at once; it is free again when its holders end."""
    with (ROOT / ".start.lock").open("a") as held:
        waiting = False
        while not lock_taken(held):
            if not waiting:
                print("Another start is setting up here; waiting for it to end ...")
            waiting = True
            time.sleep(0.3)
        yield held


def lock_taken(held):
    try:
        if WINDOWS:
            import msvcrt

            msvcrt.locking(held.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in (errno.EAGAIN, errno.EACCES, errno.EDEADLK)  # others: a disk without locks
    return True


# The chapters


def lay_chapters(source, work):
    """Put the chapters of `source` into `work`; return a sentence for each thing the reader should know.

    Nothing that is in `work` is ever changed. work/.rowwise/laid.json remembers what was laid in which
    folder: that tells a new version of a chapter (laid beside) from the reader's own changes (left alone).
    """
    memory = work / ".rowwise" / "laid.json"
    memory.parent.mkdir(parents=True, exist_ok=True)
    if ROOT in work.parents and not (work / ".gitignore").exists():
        (work / ".gitignore").write_text("*\n", encoding="utf-8")  # the reader's own: in no commit
    for left in work.glob(".laying-*"):
        shutil.rmtree(str(left), ignore_errors=True)  # from a start that was interrupted
    laid, said = read_json(memory), []
    for chapter in sorted(folder for folder in source.glob("[!._]*") if folder.is_dir()):
        said += lay_chapter(chapter, work, laid.setdefault(chapter.name, {}))
        write_json(memory, laid)
    return said


def lay_chapter(chapter, work, laid):
    """Lay one chapter and bring `laid` up to date: {folder in work: {file: SHA-256 of what was laid}}."""
    files, name = files_of(chapter), chapter.name
    home = next((folder for folder in laid if laid[folder] == files and (work / folder).is_dir()), None)
    if home:
        return mend_chapter(chapter, files, work / home)
    if not os.path.lexists(str(work / name)):
        copy_chapter(chapter, files, work / name)
        laid[name] = files
        return []
    if files in laid.values():
        return []  # the reader had this version and threw it away
    for twin in sorted(work.glob(name + "*")):
        if twin.is_dir() and files_of(twin) == files:  # the memory was lost
            laid[twin.name] = files
            return []
    beside = unused(work / (name + "-newer"))
    copy_chapter(chapter, files, beside)
    laid[beside.name] = files
    return ["{0} has a newer version: it is in {1}. Yours, in {0}, is as you left it.".format(name, beside.name)]


def mend_chapter(chapter, files, home):
    """Put back what is gone from a chapter's folder, which is how to get a fresh copy of a file."""
    missing = [file for file in files if not os.path.lexists(str(home / file))]
    for file in missing:
        (home / file).parent.mkdir(parents=True, exist_ok=True)
        with (home / file).open("xb") as target:  # x: it would rather fail than overwrite
            target.write((chapter / file).read_bytes())
    return ["{}/{} was gone: a fresh one is there.".format(home.name, file) for file in missing]


def files_of(folder):
    """{file: SHA-256} of a chapter, without what Jupyter and Python keep beside it."""
    kept_beside = {".ipynb_checkpoints", "__pycache__"}
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not kept_beside & set(path.parts)]
    return {path.relative_to(folder).as_posix(): digest(path) for path in paths}


def copy_chapter(chapter, files, target):
    """Copy a chapter whole or not at all: into a folder beside, which then gets the name."""
    half = Path(tempfile.mkdtemp(prefix=".laying-", dir=str(target.parent)))
    try:
        for file in files:
            copy = half / "chapter" / file
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(chapter / file), str(copy))
        os.rename(str(half / "chapter"), str(target))
    finally:
        shutil.rmtree(str(half), ignore_errors=True)


def unused(path):
    """`path`, or the first of path-2, path-3, ... that is not there yet."""
    number, free = 1, path
    while os.path.lexists(str(free)):
        number += 1
        free = path.with_name("{}-{}".format(path.name, number))
    return free


def refuse_folder(work):
    """Raise Problem for a folder in which a student's work would not be safe."""
    why = {
        "notebooks": "nbgrader empties that folder",
        "solutions": "the chapters are made from what is there",
        ".venv": "that folder is made afresh when packages change",
    }
    for name in why:
        if ROOT / name in [work] + list(work.parents):
            raise Problem("Work is not safe in {}: {}. Give another --folder.".format(work, why[name]))
    if work in [ROOT] + list(ROOT.parents):
        raise Problem("Work is not safe in {}: the course itself is in it. Give another --folder.".format(work))
    if work.exists() and not work.is_dir():
        raise Problem("{} is a file, and your work needs a folder. Move the file away.".format(work))


# JupyterLab, the tests, the command line


def check_port(port):
    with socket.socket() as probe:
        if not WINDOWS:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port that was just closed is free
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise Problem(
                "Port {} is not free ({}): a JupyterLab may still run in another window. Close that one, "
                "give another --port, or leave --port out.".format(port, error.strerror)
            )


def check_path(root=str(ROOT), windows=WINDOWS):
    """Where Windows takes no long paths, say so before an install breaks in the middle."""
    longest = LONGEST_ON_WINDOWS - LONGEST_INSTALLED - 1
    if windows and len(root) > longest and not long_paths():
        raise Problem(
            "The path of this folder has {} characters; with what is installed below it, Windows takes {} at "
            "most. Move the folder nearer to the top of the disk (C:\\rowwise, say) and start again.".format(
                len(root), longest
            )
        )


def long_paths():
    try:
        import winreg

        with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, r"SYSTEM\CurrentControlSet\Control\FileSystem") as key:
            return bool(winreg.QueryValueEx(key, "LongPathsEnabled")[0])
    except (ImportError, OSError):
        return False


def open_lab(work, browser, port):
    """Serve `work` with JupyterLab until it is stopped; return its exit status."""
    page = next((page for page in (FIRST + "/" + FIRST + ".ipynb", FIRST) if (work / page).exists()), "")
    command = [PYTHON, "-m", "jupyterlab", "--ServerApp.root_dir={}".format(work), "--ServerApp.ip=127.0.0.1"]
    command.append("--LabApp.default_url=" + ("/lab/tree/" + page if page else "/lab"))
    if port is not None:
        command += ["--ServerApp.port={}".format(port), "--ServerApp.port_retries=0"]
    if not browser:
        command.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        print("You are root: JupyterLab is served to this machine alone (127.0.0.1), with --allow-root.")
        command.append("--allow-root")
    print("JupyterLab opens {}. To stop it, press Ctrl-C here, then y.".format(work / page))
    began = time.monotonic()
    status = call(command, work)
    if status <= 0 or time.monotonic() - began > 20:
        return status
    if working_python("jupyterlab.labapp, ipykernel, nbgrader, rowwise"):
        raise Problem("JupyterLab did not start: its own words are above.")
    write_json(STAMP, dict(read_json(STAMP), finished=False))
    raise Problem("JupyterLab did not start: a part of it is missing. Start again, and .venv is made afresh.")


def call(command, folder):
    """Run a program in the foreground: it answers Ctrl-C itself, and it ends when we are ended."""
    child = subprocess.Popen([str(word) for word in command], cwd=str(folder), env=surroundings())
    try:
        while True:
            with contextlib.suppress(KeyboardInterrupt):
                return child.wait()
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait()


def port_number(text):
    if not 0 <= int(text) <= 65535:
        raise ValueError(text)
    return int(text)


def options_of(arguments):
    parser = argparse.ArgumentParser(
        prog="python start.py",
        description="Set up what the course needs in .venv, put the chapters into work, open JupyterLab.",
        epilog="python start.py test ... sets up and runs the tests instead; what follows goes to pytest.",
    )
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="print the address instead")
    parser.add_argument("--port", type=port_number, metavar="N", help="serve on this port or not at all")
    parser.add_argument("--folder", type=Path, default=ROOT / "work", help="keep your chapters here, not in work")
    return parser.parse_args(arguments)


def start(arguments):
    """Do what the command line asks for and return the exit status."""
    check_path()
    if arguments[:1] == ["test"]:
        if not (ROOT / TEST_LOCK).is_file():
            raise Problem("The tests are not in this copy of the course. Get the whole of it to run them.")
        set_up([LOCK])
        set_up([LOCK, TEST_LOCK])
        return call([PYTHON, "-m", "pytest"] + arguments[1:], ROOT)
    options = options_of(arguments)
    work = options.folder.expanduser().resolve()
    refuse_folder(work)
    if options.port:
        check_port(options.port)
    set_up([LOCK])
    for sentence in lay_chapters(ROOT / "notebooks", work):
        print(sentence)
    return open_lab(work, options.browser, options.port)


def main(arguments):
    """Start, with every failure told in a sentence."""
    for stream in (sys.stdout, sys.stderr):
        # A console in cp1252 cannot print every name; a pipe would show our lines after JupyterLab's.
        stream.reconfigure(errors="replace", line_buffering=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return start(arguments)
    except KeyboardInterrupt:
        print("\nStopped. The next start takes it up again.", file=sys.stderr)
        return 130
    except Problem as problem:
        print("\n" + problem.sentence, file=sys.stderr)
    except OSError as error:
        print("\n" + problem_of(error).sentence, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
