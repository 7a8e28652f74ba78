"""The witness's HTTP service.

    POST /receipts        what a run tells, JSON, with the header `Authorization: Bearer TOKEN` -> its receipt
    GET /chain?after=N    receipts of the round after number N, a line each, at most PAGE -> public
    GET /key              the edition of the round, and the key that verifies receipts -> public

Whoever asks wrongly gets a status and one line: 400 for what is malformed, 401 without a token that is known, 409 for
what contradicts an earlier step, 413 for too long a text, 429 for too many requests with one token. TLS is whatever
stands before the service.
"""

import time
from collections.abc import Callable
from itertools import islice

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from harness.witnessing.store import Refused, Store, sha256
from rules.registry import Wrong
from rules.witness import LONGEST

PAGE = 10_000  # receipts in an answer
RATE, BURST = 20.0, 200.0  # requests a second of an organisation, and at once
SHOWN = 300  # characters of an error


class Rates:
    """How many requests each organisation may still make: BURST at once, RATE a second."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock, self.left = clock, dict[str, tuple[float, float]]()

    def allow(self, organisation: str) -> bool:
        """Count a request of an organisation. Return False if it makes too many."""
        now = self.clock()
        left, since = self.left.get(organisation, (BURST, now))
        left = min(BURST, left + RATE * (now - since))
        self.left[organisation] = (left - 1 if left >= 1 else left, now)
        return left >= 1


def application(store: Store) -> Starlette:
    """Return the service as an ASGI application."""
    rates = Rates()

    async def receipts(request: Request) -> Response:
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        organisation = await run_in_threadpool(store.organisation_of, sha256(token)) if token else None
        if organisation is None:
            return refusal(401, "found no token that is known, wanted 'Authorization: Bearer TOKEN'")
        if not rates.allow(organisation):
            return refusal(429, f"found more than {RATE:g} requests a second, wanted fewer")
        body = await body_of(request)
        if body is None:
            return refusal(413, f"found more than {LONGEST} bytes, wanted at most so many")
        try:
            text = body.decode("ascii", "backslashreplace")
            return PlainTextResponse(await run_in_threadpool(store.receipt_for, organisation, text) + "\n")
        except Refused as refused:
            return refusal(409, str(refused))
        except Wrong as wrong:
            return refusal(400, str(wrong))

    async def chain(request: Request) -> Response:
        after = request.query_params.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) < 10):
            return refusal(400, f"after: found {after!r:.40}, wanted the number of a receipt")
        lines = await run_in_threadpool(lambda: list(islice(store.chain(int(after)), PAGE)))
        return PlainTextResponse("".join(f"{line}\n" for line in lines))

    async def key(request: Request) -> Response:
        return JSONResponse({"edition": store.edition, "key": store.public_key})

    routes = [Route("/receipts", receipts, methods=["POST"]), Route("/chain", chain), Route("/key", key)]
    return Starlette(routes=routes)


async def body_of(request: Request) -> bytes | None:
    """Return the body of a request; None if it is longer than a receipt, of which no more is read."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST:
            return None
    return body


def refusal(status: int, why: str) -> Response:
    """Return an error as one line of text."""
    return PlainTextResponse(f"{why[:SHOWN]}\n", status)
