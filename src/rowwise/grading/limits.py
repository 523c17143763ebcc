"""What one submission may use. The same numbers hold for `rowwise grade`, `nbgrader autograde` and formgrader."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Limits:
    """Seconds of wall time and CPU, mebibytes, counts; see docs/grading.md."""

    cell_seconds: float = 10  # one cell, or one function's cases
    total_seconds: float = 90  # the whole submission, second tries included
    cpu_seconds: int = 60  # of one process
    memory_mb: int = 1024  # all processes of the submission together
    processes: int = 64
    file_mb: int = 32  # one file
    disk_mb: int = 64  # all files

    def as_dict(self) -> dict:
        """The same as a dictionary, as it goes over the wire and into a result."""
        return asdict(self)
