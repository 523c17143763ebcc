"""What a student has done so far, kept on their own machine and nowhere else."""
