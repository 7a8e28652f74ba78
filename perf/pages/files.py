"""Pages of the site that show files of the repository, for links to code."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".sh": "bash", ".toml": "toml"}
HEAD = "---\nsearch:\n  exclude: true\n---\n\n# {}\n\n"
LONGEST = 100_000  # characters of a file that are shown


def shown(place: str) -> str:
    """The Markdown of a file's text, or of the names in a folder."""
    path = ROOT / place
    if path.is_dir():
        names = sorted(p.name + "/" * p.is_dir() for p in path.iterdir() if not p.name.startswith((".", "__pycache__")))
        return HEAD.format(place + "/") + "\n".join(f"- `{name}`" for name in names) + "\n"
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return HEAD.format(place) + "\n".join(f"    {line}" for line in text.splitlines()) + "\n"
    cut = f"\n\nThe first {LONGEST:,} of {len(text):,} characters." if len(text) > LONGEST else ""
    language = LANGUAGES.get(path.suffix, "text")
    return f"{HEAD.format(place)}````{language}\n{text[:LONGEST].rstrip()}\n````{cut}\n"
