from rules.registry import Registry
from rules.tuning import registered_shift, request

DIGEST = "c" * 64


def test_a_campaigns_entry_is_no_entry_of_runs():
    asked = request("acme", "box", "scaffold", "smoke", "first", "a" * 64, DIGEST)
    assert asked.problem == "smoke tuning first" and asked.config == DIGEST


def test_a_shift_follows_from_the_whole_entry():
    asked = request("acme", "box", "scaffold", "smoke", "first", "a" * 64, DIGEST)
    shifts = {
        registered_shift(Registry("v1.0").draw(asked, drawn, nonce))
        for drawn, nonce in (
            ("2026-03-31T22:40:00Z", "1" * 64),
            ("2026-03-31T22:40:00Z", "2" * 64),
            ("2026-03-31T22:40:01Z", "1" * 64),
        )
    }
    assert len(shifts) == 3 and all(len(bytes.fromhex(shift)) == 32 for shift in shifts)
