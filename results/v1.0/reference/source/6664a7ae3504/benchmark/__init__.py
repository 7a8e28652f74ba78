"""The problem: its definition, data, metric, fingerprint, log and submission tree. No torch in here."""
