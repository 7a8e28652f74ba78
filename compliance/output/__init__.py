"""Ways to write a verdict: one module a format, each with `render(report) -> str`."""
