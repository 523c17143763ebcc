"""The probe: calls the student's function on copies of a case's inputs and brings back what came.

It holds no expected value and imports nothing that does, so it can run beside code that nobody trusts.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    """Inputs for one call. ``args`` are NumPy arrays (masks boolean), ints or strings."""

    name: str
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """What one call gave: ``value``, the arguments as they were ``after`` it, or the ``problem`` that came instead.

    ``problem`` is "" or one of "raised", "timeout", "not-callable", "unreadable"; ``error`` is the exception's type
    and message, ``line`` the student's own line that raised, with its number.
    """

    value: object = None
    after: tuple = ()
    problem: str = ""
    error: str = ""
    line: str = ""
