"""The reference implementation, which vendors copy and tune."""
