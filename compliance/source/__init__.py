"""Static analysis of submitted source: parsed, never run."""
