"""The rules: the text of each (texts/), and editions of them: codes and numbers (<edition>/limits.yaml)."""
