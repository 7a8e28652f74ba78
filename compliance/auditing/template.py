"""Write a file of reviews to fill in: every point of a submission, open, with its evidence as comments."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from compliance.auditing.questions import Question
from compliance.checklist import OPEN, VERDICTS
from compliance.safe import printable

HEAD = f"""# verdict: {", ".join(VERDICTS)}. who and when (YYYY-MM-DD) sign an entry, the note says why you object.
# Keep this file outside of the submissions. Review again what is submitted again.
"""


def template(points: Sequence[tuple[str, Sequence[Question]]]) -> str:
    """Return YAML with an entry for each (path of a submission, its questions), as compliance/review.py reads it."""
    return HEAD + "".join(f"\n{line}" for path, questions in points for line in _entries(path, questions)) + "\n"


def _entries(path: str, questions: Sequence[Question]) -> Iterator[str]:
    name = json.dumps(printable("/".join(Path(path).resolve().parts[-2:])))  # with its round
    for question in questions:
        yield from (f"# {printable(text)}" for text in (f"{question.code} {question.sentence}", *question.evidence))
        yield f"- rule: {question.code}"
        yield f"  submission: {name}"
        yield f"  verdict: {OPEN}"
        yield from (f'  {field}: ""' for field in ("who", "when", "note"))
        yield ""
