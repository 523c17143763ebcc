"""Grading a class: students' code in a sandbox, the judge outside it, nbgrader's gradebook at the end."""
