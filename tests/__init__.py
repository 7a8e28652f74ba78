"""The tests; `tests.support` can be imported."""
