"""Parallelism over ranks: their layout, halos, layers of split volumes, gradients."""
