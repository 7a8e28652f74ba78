"""Classify a file of source by its name and bytes: text that Python reads as a reviewer does, or something else."""

import re
from itertools import islice

UTF8 = re.compile(r"utf-8(-.*)?|utf8")  # allowed in a coding line; Python takes `utf-8-unix` for UTF-8, too
COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263, in the first or second line
BLANK = re.compile(rb"[ \t\f]*(?:#|$)")
TURNED = re.compile(b"\xe2(?:\x80[\xaa-\xae]|\x81[\xa6-\xa9])")  # U+202A to 202E, 2066 to 2069: they reorder a line
DOCUMENTS = (".md", ".rst", ".txt")  # may be in any script, also from right to left
MAGIC = {
    "a byte order mark of UTF-16 or UTF-32": rb"\xff\xfe|\xfe\xff|\0\0\xfe\xff",
    "a byte order mark of UTF-7": rb"\+/v[89+/]",
    "a compiled binary": rb"\x7fELF|MZ[^\0]{0,200}\0|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\0asm|!<arch>\n",
    "an archive, or weights in one": rb"PK\x03\x04|PK\x05\x06",
    "an archive": rb"\x1f\x8b|BZh[1-9]1AY|\xfd7zXZ\0|\x28\xb5\x2f\xfd|7z\xbc\xaf\x27\x1c|Rar!\x1a|\x04\x22\x4d\x18"
    rb"|[\s\S]{257}ustar",
    "a pickle": rb"\x80[\x02-\x05]",
}
NAMES = {
    "compiled Python": r".*\.(pyc|pyo)",
    "a file that Python runs at its start": r".*\.pth|.*\.egg-link",
    "a compiled binary": r".*\.(so(\.\d+)*|pyd|dll|dylib|exe|o|obj|a|lib|wasm|class|cubin|fatbin)",
    "an archive": r".*\.(zip|tar|tgz|tbz2?|txz|gz|bz2|xz|zst|lz4|7z|rar|whl|egg|jar|npz|par|pex|pyz)",
    "weights or a pickle": r".*\.(pt|ckpt|pkl|pickle|joblib|dill|pb)",
}
UNREAD = {
    "a notebook": r".*\.ipynb",
    "C, C++ or CUDA": r".*\.(c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|inl|inc|cu|cuh|hip|cl|metal|sycl)",
    "Cython": r".*\.(pyx|pxd|pxi)",
    "assembly or compiler output": r".*\.(s|asm|ptx|sass|ll|mlir|hlo|onnx)",
    "another language's source": r".*\.(pyw|py3|f|f77|f90|f95|f03|f08|for|rs|go|jl|lua|js|mjs|ts|rb|pl|r|java|scala|kt"
    r"|swift|zig|nim|hs|ml|m|mm|ps1|csh|fish|awk|tcl)",
    "data": r".*\.(npy|h5|hdf5|safetensors|bin|dat|db|sqlite3?|parquet|arrow|msgpack|raw)",
}
NUMBER = re.compile(r"(?<![\w.])[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?(?![\w.])")


def foreign(parts: tuple[str, ...]) -> str:
    """Return the kind of a file that may not be in source, by its name; "" if it may."""
    if "__pycache__" in parts[:-1]:
        return "compiled Python"
    return _named(parts[-1], NAMES)


def _named(name: str, kinds: dict[str, str]) -> str:
    return next((what for what, pattern in kinds.items() if re.fullmatch(pattern, name, re.IGNORECASE)), "")


def disguised(name: str, data: bytes) -> str:
    """Return why a program would read the bytes differently from a reviewer, "" if it would not."""
    if kind := next((what for what, pattern in MAGIC.items() if re.match(pattern, data)), ""):
        return kind
    if name.lower().endswith((".py", ".pyi", ".pyw")):
        if b"\0" in data:
            return f"a NUL in byte {data.index(0) + 1}"
        if (coding := coding_of(data)) and not UTF8.fullmatch(coding):
            return f"the coding {coding}"
    turned = None if name.lower().endswith(DOCUMENTS) else TURNED.search(data)
    return f"a mark that reorders text, in line {data.count(10, 0, turned.start()) + 1}" if turned else ""


def coding_of(data: bytes) -> str:
    """Return the encoding that a coding line names, in lower case and with hyphens; "" without a coding line."""
    lines = re.split(b"\r\n|\r|\n", data[:4096].removeprefix(b"\xef\xbb\xbf"), maxsplit=2)
    for line in lines[:2]:
        if match := COOKIE.match(line):
            return match[1].decode("ascii", "replace").lower().replace("_", "-")[:40]
        if not BLANK.match(line):
            break
    return ""


def unread(name: str, text: str, problem: str) -> str:
    """Return the kind of a file that no check reads, "" for one that is read."""
    if what := _named(name, UNREAD):
        return what
    if problem == "binary":
        return "binary data"
    first = text[:200].partition("\n")[0]
    if first.startswith("#!") and not name.endswith(".py") and not re.search(r"\b(ba|da|z|k)?sh\b", first):
        return f"a script for {first[2:].strip()[:60]}"
    return ""


def has_more_numbers(text: str, most: int) -> bool:
    """Return whether a text has more than so many numbers."""
    return next(islice(NUMBER.finditer(text), most, None), None) is not None
