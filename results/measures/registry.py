"""Every measure of a set of runs, in the order of CSV and JSON (schema results/2).

Means and deviations (n - 1) are over the runs that the figure of merit averages, in a throughput set over its unpruned
models. Numbers are not rounded here.
"""

from results.measures.cost import COST, THROUGHPUT
from results.measures.identity import IDENTITY
from results.measures.merit import EXPECTED, MERIT, REFERENCE
from results.measures.rates import RATES
from results.measures.time import TIME

MEASURES = {m.name: m for m in (*IDENTITY, *MERIT, *TIME, *RATES, *COST, *REFERENCE, *THROUGHPUT, *EXPECTED)}
