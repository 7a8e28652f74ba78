from tests.benchmark.making import (  # noqa: F401
    making,
    test_a_file_that_is_not_there_is_named,
    test_a_sample_is_the_same_stored_or_not,
    test_held_out_data_share_no_sample,
    test_samples_differ_and_are_made_again_alike,
)
