"""The probe: calls the student's function on copies of a case's inputs and brings back what came.

It holds no expected value and imports nothing that does, so it can run beside code that nobody trusts. Whatever the
function prints, draws, warns about or seeds stays inside, and everything is afterwards as it was.
"""

import contextlib
import linecache
import logging
import os
import random
import signal
import sys
import sysconfig
import threading
import time
import warnings
from dataclasses import dataclass, field

import numpy as np

SECONDS = 10.0  # for all the cases of one check together; honest code needs a few hundredths
LARGEST = 1_000_000  # numbers in one answer; the cases ask for a few hundred


@dataclass(frozen=True)
class Case:
    """Inputs for one call. ``args`` are NumPy arrays (masks boolean), ints, strings or None.

    A case without any argument asks for plain data: the subject itself is the answer.
    """

    name: str
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What one call gave: ``value``, the arguments as they were ``after`` it, or the ``problem`` that came instead.

    ``value`` is a NumPy array of bools, ints or floats, a tuple of such arrays, or None; for a case without arguments
    plain data (dict, list, str, number, None). ``after`` holds args, then kwargs' values, in order.
    ``problem`` is "" or one of "raised", "timeout", "interrupted", "not-callable", "unreadable"; ``error`` is the
    exception's type and message, or what the unreadable thing was; ``line`` the student's own line that raised, with
    its number.
    """

    value: object = None
    after: tuple = ()
    problem: str = ""
    error: str = ""
    line: str = ""


class _TooLong(BaseException):
    """Not an Exception, so that a student's ``except Exception`` does not swallow it."""


def probe(cases, subject, seconds: float = SECONDS) -> list[Answer]:
    """An answer a case, in order; never raises for anything that the subject does.

    ``seconds`` is for all cases together. A call that exceeds it is stopped where the platform has timers and this is
    the main thread; elsewhere (Windows, a thread), or in a single long call into C, it runs until it is interrupted.
    After a stop or an interrupt the cases left are not tried and answer the same.
    """
    answers: list[Answer] = []
    with _contained(), _Clock(seconds) as clock:
        for case in cases:
            if answers and answers[-1].problem in ("timeout", "interrupted"):
                answers.append(answers[-1])
            elif not case.args and not case.kwargs:
                answers.append(_data(subject))
            elif not callable(subject):
                answers.append(Answer(problem="not-callable", error=_kind(subject)))
            else:
                answers.append(_call(case, subject, clock))
    return answers


def _call(case: Case, function, clock: "_Clock") -> Answer:
    args = tuple(_copy(a) for a in case.args)
    kwargs = {name: _copy(a) for name, a in case.kwargs.items()}
    try:
        clock.start()
        value = _read(function(*args, **kwargs))
        clock.stop()
        return Answer(value, (*args, *kwargs.values()))
    except _TooLong:
        return Answer(problem="timeout", error=f"stopped after {clock.seconds:g} seconds")
    except KeyboardInterrupt:
        return Answer(problem="interrupted")
    except _Unreadable as unreadable:
        return Answer(problem="unreadable", error=str(unreadable))
    except BaseException as error:  # SystemExit and whatever else a student's code may throw
        clock.stop()
        return Answer(problem="raised", error=_told(error), line=_own_line(error.__traceback__))
    finally:
        clock.stop()


def _copy(argument):
    return np.array(argument) if isinstance(argument, np.ndarray) else argument


# ---- reading what came back


class _Unreadable(Exception):
    """What came back is no array of numbers; the text says what it is."""


def _read(value):
    """An array of numbers (copied, plain), a tuple of them, or None."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(_array(item) for item in value[:10])
    try:
        return _array(value)
    except _Unreadable:
        if isinstance(value, list) and any(isinstance(item, np.ndarray) for item in value[:10]):
            return tuple(_array(item) for item in value[:10])
        raise


def _array(value) -> np.ndarray:
    if hasattr(value, "close") and hasattr(value, "throw"):
        value.close()  # an unstarted coroutine warns when it is thrown away
        raise _Unreadable(_kind(value))
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise _Unreadable("a masked array")
    try:
        array = np.asarray(value)
    except ValueError:
        raise _Unreadable(f"{_kind(value)} whose rows differ in length") from None
    if array.dtype.kind not in "biuf":
        what = _kind(value)
        raise _Unreadable(what if array.ndim == 0 else f"{what} of {array.dtype.name} entries")
    if array.size > LARGEST:
        raise _Unreadable(f"an array of shape {array.shape}, {array.size:,} numbers")
    return np.array(array, dtype=np.float64 if array.dtype.itemsize > 8 else array.dtype, subok=False)


def _kind(value) -> str:
    name = type(value).__name__
    known = {"function": "a function", "ndarray": "an array", "NoneType": "None", "str": "text"}
    return known.get(name, f"an {name}" if name[:1].lower() in "aeio" else f"a {name}")


def _data(value) -> Answer:
    """The subject as plain data, for rows, choices and values."""
    try:
        return Answer(_plain(value, depth=4))
    except _Unreadable as unreadable:
        return Answer(problem="unreadable", error=str(unreadable))
    except Exception as error:  # a subclass of dict or str with methods of its own
        return Answer(problem="unreadable", error=_told(error))


def _plain(value, depth: int):
    if value is None or type(value) in (bool, int, float):
        return value
    if isinstance(value, str):
        return str(value)[:1000]
    if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "biufU":
        return _plain(value.tolist(), depth)
    if isinstance(value, dict | list | tuple) and depth and len(value) <= 1000:
        if isinstance(value, dict):
            return {str(key)[:200]: _plain(item, depth - 1) for key, item in value.items()}
        return [_plain(item, depth - 1) for item in value]
    raise _Unreadable(_kind(value))


# ---- what a raised exception says


def _told(error: BaseException) -> str:
    try:
        text = str(error).strip()
    except Exception:  # the student's own exception class, with a __str__ that raises
        text = ""
    name = type(error).__name__
    return f"{name}: {text[:300]}" if text else name


_LIBRARIES = tuple(
    {sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {os.path.dirname(os.path.dirname(np.__file__)) + os.sep, os.path.dirname(__file__) + os.sep}
)


def _own_line(traceback) -> str:
    """The innermost line that is neither a library's nor ours, as "line 3: return Q @ K", or ""."""
    found = ""
    while traceback:
        code = traceback.tb_frame.f_code
        if not code.co_filename.startswith((*_LIBRARIES, "<frozen ", "<__array_function__")):
            found = (code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    if not found:
        return ""
    source = linecache.getline(*found).strip()
    return f"line {found[1]}: {source[:200]}" if source else f"line {found[1]}"


# ---- keeping everything inside


class _Clock:
    """Raises _TooLong in the student's code once the time for all cases is over, where the platform has timers."""

    def __init__(self, seconds: float):
        self.seconds, self.running, self.over = seconds, False, False
        main = threading.current_thread() is threading.main_thread()
        self.works = main and hasattr(signal, "setitimer")

    def __enter__(self):
        if self.works:
            self.handler, self.began = signal.getsignal(signal.SIGALRM), time.monotonic()
            signal.signal(signal.SIGALRM, self._ring)
            # Again every 0.2 s: one ring may fall into a bare `except:`.
            self.theirs = signal.setitimer(signal.ITIMER_REAL, max(self.seconds, 0.001), 0.2)
        return self

    def __exit__(self, *exception):
        self.running = False
        if not self.works:
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.handler if self.handler is not None else signal.SIG_DFL)
        delay, interval = self.theirs
        if delay:  # somebody else's alarm, late by no more than this took
            left = max(delay - (time.monotonic() - self.began), 0.001)
            signal.setitimer(signal.ITIMER_REAL, left, interval)

    def _ring(self, signum, frame):
        self.over = True
        if self.running:
            raise _TooLong

    def start(self) -> None:
        """From here on it may ring; at once, if the time is over already."""
        self.running = True
        if self.over:
            raise _TooLong

    def stop(self) -> None:
        """From here on it does not."""
        self.running = False


@contextlib.contextmanager
def _contained():
    """Prints, warnings, log lines, displays and new plots are dropped; error state and random states restored."""
    states = random.getstate(), np.random.get_state()
    disabled = logging.root.manager.disable
    with contextlib.ExitStack() as stack:
        nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
        stack.enter_context(contextlib.redirect_stdout(nowhere))
        stack.enter_context(contextlib.redirect_stderr(nowhere))
        stack.enter_context(warnings.catch_warnings())
        stack.enter_context(np.errstate(all="ignore"))
        stack.enter_context(np.printoptions())
        _capture_displays(stack)
        figures = _figures()
        warnings.simplefilter("ignore")
        logging.disable()
        try:
            yield
        finally:
            logging.disable(disabled)
            random.setstate(states[0])
            np.random.set_state(states[1])
            for number in _figures() - figures:
                sys.modules["matplotlib.pyplot"].close(number)


def _capture_displays(stack: contextlib.ExitStack) -> None:
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        from IPython.utils.capture import capture_output

        stack.enter_context(capture_output(stdout=False, stderr=False, display=True))


def _figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set(pyplot.get_fignums()) if pyplot is not None else set()
