"""The driver: it makes submissions with any implementation through its command line."""
