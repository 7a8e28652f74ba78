"""Coverage-guided fuzzing of the log reader and of reading Python source, where atheris installs:

pip install atheris
python tests/compliance/fuzz_atheris.py -runs=1000000 -max_len=2000
"""

import sys
import tempfile
from pathlib import Path

if not __package__:  # run as a file: look for modules where `python -m` would
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import atheris

with atheris.instrument_imports():
    from benchmark.log import BadLine, Event, Oddity, read_log
    from compliance.judging.unit import Job, judge_log
    from compliance.source.python import read_python
from compliance.reading.tree import LogFile
from compliance.safe import printable
from rules.edition import load

FOLDER = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
LAW = load("v1.0")


def one(data: bytes) -> None:
    """The first byte chooses: a log for the reader, a log to judge, or Python source."""
    kind, data = data[:1], data[1:]
    if kind < b"\x10":
        read_python(data.decode(errors="replace"))
        return
    path = FOLDER / "result_0.txt"
    path.write_bytes(data.replace(b"@", b":::MLLOG "))  # a byte for the token: chance finds it
    assert all(type(item) in (Event, BadLine, Oddity) for item in read_log(path))
    if kind > b"\x80":
        log = judge_log(Job(LogFile(path, "result_0.txt", 0), LAW, "", alone=True))
        assert all(printable(f.text()).isprintable() for f in log.findings)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
