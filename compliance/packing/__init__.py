"""Packages: a submission in one file, to be handed in, looked at, unpacked, and hidden behind pseudonyms."""
