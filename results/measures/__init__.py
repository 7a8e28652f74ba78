"""What is measured of a set of runs: each measure once, with its name, heading, meaning and unit; views list names."""
