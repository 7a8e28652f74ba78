"""The projection of a step onto a system that is described by a few rates."""
