from rules.registry import Registry
from rules.tuning import registered_shift, request


def test_a_shift_follows_from_the_whole_entry_which_is_none_of_runs():
    asked = request("acme", "box", "scaffold", "smoke", "first", "a" * 64, "c" * 64)
    assert asked.problem == "smoke tuning first" and asked.config == "c" * 64
    shifts = {
        registered_shift(Registry("v1.0").draw(asked, drawn, nonce))
        for drawn, nonce in (
            ("2026-03-31T22:40:00Z", "1" * 64),
            ("2026-03-31T22:40:00Z", "2" * 64),
            ("2026-03-31T22:40:01Z", "1" * 64),
        )
    }
    assert len(shifts) == 3 and all(len(bytes.fromhex(shift)) == 32 for shift in shifts)
