"""What chapters use around the exercises: predictions, hints, solutions, progress, handing in."""

from rowwise.study.broken import broken
from rowwise.study.carry import carry, keep
from rowwise.study.hand_in import hand_in
from rowwise.study.help import hints, solution
from rowwise.study.installation import check_installation
from rowwise.study.order import say_what_is_missing
from rowwise.study.predict import outcome, predict
from rowwise.study.strip import strip
from rowwise.study.table import progress_table

__all__ = [
    "broken",
    "carry",
    "check_installation",
    "hand_in",
    "hints",
    "keep",
    "outcome",
    "predict",
    "progress_table",
    "solution",
    "strip",
]

say_what_is_missing()
