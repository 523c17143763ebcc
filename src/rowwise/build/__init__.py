"""Chapter text to solution notebooks to students' notebooks, the same bytes every time.

Written by hand: ``solutions/NN-name/NN-name.md``. Made from it: ``NN-name.ipynb`` beside it, nbgrader's
source, and from that, by nbgrader, ``notebooks/NN-name/``.
"""

from rowwise.build.course import adopt, build, chapter_names, find_root, make, stale
from rowwise.build.problems import BuildError, Problem

__all__ = ["BuildError", "Problem", "adopt", "build", "chapter_names", "find_root", "make", "stale"]
