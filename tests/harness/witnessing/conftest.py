"""A witness's store, and the service in a thread of its own."""

import threading
import time
from types import SimpleNamespace

import pytest
import uvicorn

from harness.witnessing import telling
from harness.witnessing.service import application
from harness.witnessing.store import Store


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Nobody waits for long."""
    monkeypatch.setattr(telling, "POLL", 0.01)
    monkeypatch.setattr(telling, "PAUSES", (0.01,))
    monkeypatch.setattr(telling, "PATIENCE", 0.3)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "witness.db", "v1.0")


@pytest.fixture
def served(store):
    """The service: its address, its store, and the token of acme."""
    server = uvicorn.Server(uvicorn.Config(application(store), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield SimpleNamespace(address=f"http://127.0.0.1:{port}", store=store, token=store.new_token("acme"))
    server.should_exit = True
    thread.join(20)
