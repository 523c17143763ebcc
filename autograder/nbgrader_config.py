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
# nbgrader's own steps, in its own order; ours leaves no stub below a form that students fill in.
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.InstantiateTests",
    "nbgrader.preprocessors.LockCells",
    "rowwise.build.forms.ClearSolutions",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# What a learning platform hands over goes to autograder/downloaded/<chapter>/archive, as it came. Canvas calls a file
# lovelaceada_LATE_101_2001_01-dot-product-1.ipynb (LATE and the last number are not always there), Moodle
# Ada Lovelace_501_assignsubmission_file_/01-dot-product.ipynb (with or without the slash).
c.ZipCollectApp.downloaded_directory = "autograder/downloaded"
c.FileNameCollectorPlugin.named_regexp = (
    r".*[/\\](?P<student_id>[^/\\_]+)(_LATE)?_\d+_(\d+_|assignsubmission_file_[/\\]?)"
    r"(?P<file_id>\d\d-[a-z-]*[a-z])(-\d+| ?\(\d+\))?\.ipynb$"
)

# How a submission is run and marked is set here by Rowwise's grading:
# Students' code runs in Rowwise's sandbox, the judge outside it, whether `rowwise grade`, `nbgrader autograde` or
# formgrader's button asked. What has not changed since it was graded is taken from the results, so force costs little.
c.Autograde.pre_convert_hook = "rowwise.grading.plugin.ready"
c.Autograde.sanitize_preprocessors = ["rowwise.grading.plugin.Prepare"]
c.Autograde.autograde_preprocessors = [
    "rowwise.grading.plugin.Execute",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Autograde.force = True
# Feedback pages open without a network.
c.GenerateFeedback.exporter_class = "rowwise.grading.feedback.Feedback"
