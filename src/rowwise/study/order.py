"""A sentence above Python's own words when a cell uses what a cell further up has yet to make."""

import sys


def say_what_is_missing() -> None:
    """From now on a NameError of a cell itself, not of a function in it, begins with what to do.

    Python's error stays below the sentence: a graded cell that did not run must not look as if it had.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and not shell.custom_exceptions:  # somebody's own handler is left alone
        shell.set_custom_exc((NameError,), _told)


def _told(shell, kind, error, traceback, tb_offset=None):
    frame = traceback
    while frame.tb_next is not None:
        frame = frame.tb_next
    if kind is NameError and error.name and frame.tb_frame.f_code.co_name == "<module>":
        print(
            f"`{error.name}` is not there yet. A cell further up makes it: choose "
            "Run > Run All Above Selected Cell, then run this cell again."
        )
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)
