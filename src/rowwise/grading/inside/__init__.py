"""What runs beside the student's code. Nothing here knows an expected value, a judge or another submission."""
