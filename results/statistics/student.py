"""Quantiles of Student's t."""


def t_quantile(p: float, degrees: float) -> float:
    """The quantile of Student's t for 0 < p < 1 and `degrees` of freedom above 0, possibly infinite."""
    from scipy.special import stdtrit  # takes 0.2 s to import

    return float(stdtrit(degrees, p))
