"""Layers of networks: blocks, convolutions, norms."""
