"""What stops a build, said so that whoever wrote the chapter can mend it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """One thing to mend: the file, the cell in it or "", what is the matter, and the remedy."""

    file: str
    cell: str
    what: str
    remedy: str

    def __str__(self) -> str:
        """One line."""
        place = f"{self.file}, {self.cell}" if self.cell else self.file
        return f"{place}: {self.what} {self.remedy}"


class BuildError(Exception):
    """Nothing was written for the chapters that ``problems`` names."""

    def __init__(self, problems) -> None:
        """Keeps the problems, and says them one a line."""
        self.problems = list(problems)
        super().__init__("\n".join(map(str, self.problems)))
