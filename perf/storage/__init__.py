"""DLIO beside the reference's own trial of the input: exports for it, its environment, and a comparison."""
