"""Packages: a submission in one file, with its names or with pseudonyms, to hand in, verify and unpack."""
