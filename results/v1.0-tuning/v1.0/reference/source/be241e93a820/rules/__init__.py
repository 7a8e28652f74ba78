"""The rules: the text of each rule (texts/), and the codes and numbers of each edition (<edition>/limits.yaml)."""
