"""The receipts of a round's witness: a server of the organisers that is told what runs do, while they do it.

The start of a run is told first: who trains what on which system, with the digests of source and settings. The witness
answers with a receipt that holds a random number, the nonce. The run's seed follows from this receipt as it follows
from an entry of a registry (`rules/registry.py`): nobody knows it before the start is told. After that, it is told how
far the log has got at `run_start`, at each evaluation and at `run_stop`: the length of the log's beginning, and its
sha256. Each time the witness answers with a receipt that has the time of its own clock. It never sees the log itself,
source or weights.

A receipt is a line of JSON in ASCII with sorted names. It is signed with the witness's key (Ed25519) and has the sha256
of the receipt before, whoever that was for. So all receipts of a round are one chain. It is published as witness.jsonl
in the round's folder. A run's own receipts lie beside its log, in receipts_<i>.jsonl.
"""

import dataclasses
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmark.log import open_regular
from benchmark.run.assigned import assigned_seed
from rules.registry import FIRST, SHA256, Request, Wrong, canonical, mapping, want_fields, want_number, want_text

NAME = "witness.jsonl"  # the published chain, in the round's folder
RUN_START, EVALUATION, RUN_STOP = KINDS = ("run_start", "evaluation", "run_stop")
MOST, MOST_STEPS = 1_000_000, 10_000  # receipts of a round, steps of a run
LARGEST, LONGEST = 1 << 30, 4000  # bytes of a chain, of a receipt
LATEST = 1 << 53  # milliseconds since 1970, and bytes, are below it
RUN = re.compile(r"[0-9a-f]{32}")
SIGNATURE = re.compile(r"[0-9a-f]{128}")
LOG = re.compile(r"result_[0-9]{1,9}\.txt")


@dataclass(frozen=True)
class Start(Request):
    """The start of a run, as it is told: a request as for a registry, a number that the run drew, and the name of its
    log. Raises Wrong for an invalid field."""

    run: str
    log: str

    def __post_init__(self) -> None:
        super().__post_init__()
        want_text(self, "run", RUN, "32 hexadecimal digits")
        want_text(self, "log", LOG, "result_<i>.txt")

    @property
    def number(self) -> int:
        """The i of result_<i>.txt."""
        return int(self.log.removeprefix("result_").removesuffix(".txt"))


@dataclass(frozen=True)
class Step:
    """How far the log of a run has got, as it is told. `step` counts from 1; `digest` is the sha256 of the log's first
    `bytes` bytes, which end with the event of that `kind`. Raises Wrong for an invalid field."""

    run: str
    step: int
    kind: str
    bytes: int
    digest: str

    def __post_init__(self) -> None:
        want_text(self, "run", RUN, "32 hexadecimal digits")
        want_number(self, "step", MOST_STEPS)
        if self.kind not in KINDS:
            raise Wrong(f"kind {self.kind!r:.80}", ", ".join(KINDS))
        want_number(self, "bytes", LATEST)
        want_text(self, "digest", SHA256, "a sha256 in hexadecimal")


Told = Start | Step


@dataclass(frozen=True)
class Receipt:
    """What was told, and what the witness adds: the number of the receipt in the round's chain, from 1; the sha256 of
    the receipt before; the time of its clock in milliseconds since 1970; the edition of the round; at a start the
    nonce; and its signature. Raises Wrong for an invalid field."""

    told: Told
    number: int
    previous: str
    time_ms: int
    edition: str
    nonce: str = ""
    signature: str = "0" * 128

    def __post_init__(self) -> None:
        want_number(self, "number", MOST)
        want_number(self, "time_ms", LATEST)
        want_text(self, "previous", SHA256, "a sha256 in hexadecimal")
        want_text(self, "signature", SIGNATURE, "128 hexadecimal digits")
        want_text(self, "edition", re.compile(r"[\w.+-]{1,100}"), "the name of an edition")
        want_text(self, "nonce", SHA256 if isinstance(self.told, Start) else re.compile(""), "one at a start alone")

    @cached_property
    def signed(self) -> bytes:
        """What is signed: the line without the signature."""
        return canonical(self._fields).encode()

    @cached_property
    def text(self) -> str:
        """The receipt as a line of JSON, without its newline."""
        return canonical({**self._fields, "signature": self.signature})

    @cached_property
    def sha256(self) -> str:
        """The sha256 of the line."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def _fields(self) -> dict[str, Any]:
        added = {name: getattr(self, name) for name in ("number", "previous", "time_ms", "edition")}
        # A run reads the receipt of its start as the one entry of a registry.
        drawn = {"nonce": self.nonce, "entry": 1, "drawn_by": "witness"} if self.nonce else {}
        return {**dataclasses.asdict(self.told), **added, **drawn}

    @property
    def seed(self) -> int:
        """The seed of the run whose start this is. Raises ValueError for another step."""
        if not isinstance(self.told, Start):
            raise ValueError("found a later step, wanted the start of a run")
        return assigned_seed(self.sha256, self.told.number)


def parse_told(text: str) -> Told:
    """Return what a run tells, from JSON. Raises Wrong for anything else."""
    return _told(mapping(text, LONGEST))


def parse_receipt(text: str) -> Receipt:
    """Return the receipt in a line. Raises Wrong unless the line is exactly its text. The signature is not verified."""
    values = mapping(text, LONGEST)
    names = {field.name for field in dataclasses.fields(Receipt)} - {"told"}
    added = {name: values.pop(name) for name in sorted(names & values.keys())}
    values.pop("entry", None), values.pop("drawn_by", None)
    try:
        receipt = Receipt(_told(values), **added)
    except TypeError:
        raise Wrong(f"a line with {', '.join(added)}", f"one with {', '.join(sorted(names))}") from None
    if receipt.text != text:
        raise Wrong("a receipt in another form", "JSON with sorted names and nothing else")
    return receipt


def is_signed(receipt: Receipt, key: str) -> bool:
    """Return whether a receipt is signed with the witness's public key, 64 hexadecimal digits."""
    from cryptography.exceptions import InvalidSignature  # here, because most rounds have no witness
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(receipt.signature), receipt.signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def read_receipts(path: Path, most: int = MOST, largest: int = LARGEST) -> Iterator[Receipt | Wrong]:
    """Yield the receipts of a file in order, and what is wrong in place of a line that holds none, or of the rest of a
    file beyond `most` lines or `largest` bytes. Raises OSError for a file that cannot be read or is no regular file."""
    with open_regular(path) as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST + 2), b""), 1):
            if number > most or file.tell() > largest:
                yield Wrong(f"more than {number - 1} lines", f"at most {most} lines and {largest} bytes")
                return
            try:
                if not line.endswith(b"\n"):
                    raise Wrong("a line that is cut off, or too long", f"a receipt of at most {LONGEST} bytes")
                yield parse_receipt(line[:-1].decode("ascii", "backslashreplace"))
            except Wrong as wrong:
                yield wrong


def follows(receipt: Receipt, before: Receipt | None) -> str:
    """Return what is wrong with a receipt that comes after another one of the chain; "" if nothing is."""
    number, digest = (before.number, before.sha256) if before else (0, FIRST)
    if receipt.number != number + 1:
        return f"number {receipt.number} after number {number}"
    if receipt.previous != digest:
        return f"previous {receipt.previous}, which is not the sha256 of receipt {number}"
    if before and receipt.time_ms < before.time_ms:
        return f"a time {(before.time_ms - receipt.time_ms) / 1000:g} s before that of receipt {number}"
    return ""


def _told(values: dict[str, Any]) -> Told:
    kind: type[Told] = Step if "kind" in values else Start
    want_fields(values, kind)
    return kind(**values)
