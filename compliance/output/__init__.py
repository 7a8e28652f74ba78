"""The output formats, one module each with `render(report) -> str`."""
