"""A witness for tests: it signs receipts with a key that everybody knows."""

import hashlib
from dataclasses import replace
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rules.registry import FIRST
from rules.witness import EVALUATION, RUN_START, RUN_STOP, Receipt, Start, Step

PRIVATE = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
KEY = PRIVATE.public_key().public_bytes_raw().hex()
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))  # of somebody else


def signed(receipt: Receipt, key: Ed25519PrivateKey = PRIVATE) -> Receipt:
    """A receipt with its signature."""
    return replace(receipt, signature=key.sign(receipt.signed).hex())


class FakeWitness:
    """The chain of receipts of a round."""

    def __init__(self, edition: str = "v1.0"):
        self.edition, self.chain = edition, list[Receipt]()

    def receipt(self, told: Start | Step, time_ms: int, **fields) -> Receipt:
        """The next receipt of the chain; `fields` differ."""
        last = self.chain[-1] if self.chain else None
        time_ms = max(time_ms, last.time_ms if last else 0)
        made = {"number": len(self.chain) + 1, "previous": last.sha256 if last else FIRST, "edition": self.edition}
        nonce = {"nonce": hashlib.sha256(told.run.encode()).hexdigest()} if isinstance(told, Start) else {}
        self.chain.append(signed(Receipt(told, time_ms=time_ms, **{**made, **nonce, **fields})))
        return self.chain[-1]

    def steps(self, run: str, events: list[dict], text: str, metric: str = "eval_accuracy") -> list[Receipt]:
        """The receipts of the steps of a log, each 0.2 s after its event."""
        kinds = {RUN_START: RUN_START, metric: EVALUATION, RUN_STOP: RUN_STOP}
        found, length = [], 0
        for event, line in zip(events, text.splitlines(keepends=True), strict=True):
            length += len(line.encode())
            if event["key"] in kinds:
                digest = hashlib.sha256(text.encode()[:length]).hexdigest()
                step = Step(run, len(found) + 1, kinds[event["key"]], length, digest)
                found.append(self.receipt(step, event["time_ms"] + 200))
        return found

    def publish(self, folder: Path) -> Path:
        """Write the chain into a round's folder."""
        return write(folder / "witness.jsonl", self.chain)


def write(path: Path, receipts: list[Receipt]) -> Path:
    """Write receipts, a line each."""
    path.write_text("".join(f"{receipt.text}\n" for receipt in receipts))
    return path
