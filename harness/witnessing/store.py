"""What a witness stores, in SQLite: its key, the tokens of entrants, and the chain of receipts.

Every receipt is on disk before it is handed out, so a witness that is killed loses nothing.
"""

import hashlib
import os
import secrets
import sqlite3
import stat
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmark.clock import now_ms
from rules.names import folded
from rules.registry import FIRST, Wrong
from rules.witness import MOST, MOST_STEPS, Receipt, Start, Told, parse_receipt, parse_told

TABLES = """
CREATE TABLE IF NOT EXISTS round (edition TEXT NOT NULL, key BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS tokens (sha256 TEXT PRIMARY KEY, organisation TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS receipts (
    number INTEGER PRIMARY KEY, run TEXT NOT NULL, step INTEGER NOT NULL, organisation TEXT NOT NULL,
    told TEXT NOT NULL, line TEXT NOT NULL, UNIQUE (run, step));
"""
MOST_STARTS = 2_000  # of an organisation: far more than a round needs


class Refused(Wrong):
    """What was told contradicts what was told before, or what the token is for."""


class Store:
    """The database of one round's witness."""

    def __init__(self, path: Path, edition: str | None = None):
        """Open a database. With an edition, make it with a new key if there is none. Raises ValueError, naming the
        file, where there is no database, or where it is of another edition."""
        if edition is None and not path.is_file():
            raise ValueError(f"{path}: found no file, wanted the database of a witness")
        if edition is not None and not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # it holds the key
        if path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
            raise ValueError(f"{path}: found a file that others can read, wanted mode 600: it holds the key")
        self.lock = threading.Lock()
        try:
            self.database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            self.database.execute("PRAGMA synchronous = FULL")
            self.database.executescript(TABLES)
            found = self.database.execute("SELECT edition, key FROM round").fetchone()
            if found is None and edition is not None:
                found = (edition, Ed25519PrivateKey.generate().private_bytes_raw())
                self.database.execute("INSERT INTO round VALUES (?, ?)", found)
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path}: {error}, wanted the database of a witness") from None
        if found is None:
            raise ValueError(f"{path}: found no round, wanted a database of `witness.py new`")
        if edition not in (None, found[0]):
            raise ValueError(f"{path}: found edition {found[0]}, wanted {edition}")
        self.edition, self.key = found[0], Ed25519PrivateKey.from_private_bytes(found[1])

    @property
    def public_key(self) -> str:
        """The key that verifies receipts, 64 hexadecimal digits."""
        return self.key.public_key().public_bytes_raw().hex()

    def new_token(self, organisation: str) -> str:
        """Return a new token of an organisation. Only its sha256 is stored."""
        token = secrets.token_urlsafe(32)
        self.database.execute("INSERT INTO tokens VALUES (?, ?)", (sha256(token), organisation))
        return token

    def organisation_of(self, digest: object) -> str | None:
        """Return whose token has this sha256, None if nobody's."""
        if not isinstance(digest, str):
            return None
        with self.lock:
            found = self.database.execute("SELECT organisation FROM tokens WHERE sha256 = ?", (digest,)).fetchone()
        return found[0] if found else None

    def receipt_for(self, organisation: str, text: str) -> str:
        """Return the line of the receipt for what an organisation tells, JSON. The same again gets the same receipt.
        Raises Wrong for what is malformed, and Refused for what contradicts an earlier step."""
        told = parse_told(text)
        step = 0 if isinstance(told, Start) else told.step
        with self.lock:
            # Another process may have the same database open
            self.database.execute("BEGIN IMMEDIATE")
            try:
                line = self._known(organisation, told, step) or self._added(organisation, told, step)
                self.database.execute("COMMIT")
                return line
            except BaseException:
                self.database.execute("ROLLBACK")
                raise

    def _known(self, organisation: str, told: Told, step: int) -> str | None:
        """Return the receipt that this step has already, None if there is none. Raises Refused for another content."""
        query = "SELECT told, line, organisation FROM receipts WHERE run = ? AND step = ?"
        found = self.database.execute(query, (told.run, step)).fetchone()
        if found and (found[0], found[2]) != (repr(told), organisation):
            raise Refused(f"another step {step} of run {told.run}", "what was told before")
        return found[1] if found else None

    def _added(self, organisation: str, told: Told, step: int) -> str:
        """Add a receipt and return its line."""
        self._refuse_contradiction(organisation, told, step)
        last = self.database.execute("SELECT line FROM receipts ORDER BY number DESC LIMIT 1").fetchone()
        before = parse_receipt(last[0]) if last else None
        if before and before.number >= MOST:
            raise Refused("a full chain", f"at most {MOST} receipts")
        receipt = Receipt(
            told,
            number=before.number + 1 if before else 1,
            previous=before.sha256 if before else FIRST,
            time_ms=max(now_ms(), before.time_ms if before else 0),
            edition=self.edition,
            nonce=secrets.token_hex(32) if isinstance(told, Start) else "",
        )
        line = replace(receipt, signature=self.key.sign(receipt.signed).hex()).text
        row = (receipt.number, told.run, step, organisation, repr(told), line)
        self.database.execute("INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?)", row)
        return line

    def _refuse_contradiction(self, organisation: str, told: Told, step: int) -> None:
        """Raise Refused for a start in another's name, or too many of them, and for a step that is not the next."""
        if isinstance(told, Start):
            if folded(told.organisation) != folded(organisation):
                raise Refused(f"organisation {told.organisation}", f"{organisation}, whose token it is")
            query = "SELECT COUNT(*) FROM receipts WHERE organisation = ? AND step = 0"
            if self.database.execute(query, (organisation,)).fetchone()[0] >= MOST_STARTS:
                raise Refused(f"{MOST_STARTS} starts of {organisation} already", "no more of them")
            return
        query = "SELECT step, line, organisation FROM receipts WHERE run = ? ORDER BY step DESC LIMIT 1"
        last = self.database.execute(query, (told.run,)).fetchone()
        if last is None or last[2] != organisation:
            raise Refused(f"run {told.run} without a start", f"a start, told by {organisation}")
        before = parse_receipt(last[1]).told
        if step != last[0] + 1 or step >= MOST_STEPS:
            raise Refused(f"step {step} after step {last[0]}", f"step {last[0] + 1}, below {MOST_STEPS}")
        if not isinstance(before, Start) and told.bytes <= before.bytes:
            raise Refused(f"a log of {told.bytes} bytes after one of {before.bytes}", "a longer one")

    def chain(self, after: int = 0) -> Iterator[str]:
        """Yield the lines of the receipts after receipt number `after`, in order."""
        while True:
            with self.lock:
                query = "SELECT number, line FROM receipts WHERE number > ? ORDER BY number LIMIT 1000"
                page = self.database.execute(query, (after,)).fetchall()
            if not page:
                return
            yield from (line for _, line in page)
            after = page[-1][0]


def sha256(text: str) -> str:
    """Return the sha256 of a text, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()
