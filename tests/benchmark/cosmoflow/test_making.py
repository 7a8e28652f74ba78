from tests.benchmark.making import *  # noqa: F403
