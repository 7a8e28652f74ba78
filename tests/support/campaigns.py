"""Campaigns of trials."""

from benchmark.tuning.campaign import Campaign, campaign_of

RATE = {"low": 1e-4, "high": 1e-2, "scale": "log"}


def campaign(**changes: object) -> Campaign:
    """A campaign of four trials of eight epochs, of one setting, with other values for some fields."""
    plain = {"problem": "smoke", "batch_size": 2, "space": {"rate": RATE}, "trials": 4, "budget": {"epochs": 8}}
    return campaign_of({**plain, **changes}, "one")
