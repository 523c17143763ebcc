"""nbgrader's settings for this course. Run nbgrader in this folder, where it looks for them."""

import os
import sys
from pathlib import Path

autograder = Path(__file__).resolve().parent
root = autograder.parent

c = get_config()  # noqa: F821  (nbgrader defines it)

# nbgrader starts `alembic` by its name when it makes a gradebook; without it the gradebook is left half made.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])

c.CourseDirectory.course_id = "rowwise"
c.CourseDirectory.root = str(root)
c.CourseDirectory.db_url = f"sqlite:///{autograder / 'gradebook.db'}"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"
c.CourseDirectory.submitted_directory = "autograder/submitted"
c.CourseDirectory.autograded_directory = "autograder/autograded"
c.CourseDirectory.feedback_directory = "autograder/feedback"
c.CourseDirectory.solution_directory = "autograder/solution"
c.CourseDirectory.source_with_tests_directory = "autograder/source_with_tests"
c.CourseDirectory.ignore = [".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", "*.md"]

# An unwritten function returns None, and the check says so; an exception here would stop Run All.
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\n..."}

# Zips of an LMS: extract them in autograder/downloaded/<chapter>/archive.
c.ZipCollectApp.downloaded_directory = "autograder/downloaded"

# How a submission is run and marked is set here by Rowwise's grading:
