"""What a file is by its name and bytes: text as a reviewer sees it, or something that hides what runs."""

import codecs
import gzip
import pickle

import pytest

from compliance.source.content import coding_of, disguised, foreign, has_more_numbers, unread

ERRORS = {  # path -> its bytes
    "coding UTF-7": ("a.py", b"# coding: utf-7\n"),
    "coding in the second line": ("a.py", b"#!/usr/bin/env python\n# vim: set fileencoding=utf-7 :\n"),
    "coding behind a blank line": ("a.py", b"\n# coding: rot13\n"),
    "coding behind a lone carriage return": ("a.py", b"# a\r# coding: utf-16\n"),
    "mark of UTF-16": ("a.py", codecs.BOM_UTF16_LE + "a = 1\n".encode("utf-16-le")),
    "mark of UTF-7": ("a.py", b"+/v8-a = 1\n"),
    "NUL": ("a.py", b"a = 1\n\0import os\n"),
    "text that is reordered": ("a.py", "a = 1  # \u202e # exec\n".encode()),
    "text in a cache": ("__pycache__/notes.txt", b"a\n"),
    "path file": ("a.pth", b"import os\n"),
    "library with a version": ("liba.so.1.2", b"?"),
    "program without an ending": ("run", b"\x7fELF\2\1\1\0"),
    "program under another name": ("a.yaml", b"MZ\x90\0\3\0"),
    "zip": ("a.dat", b"PK\x03\x04" + bytes(26)),
    "tar": ("a.txt", b"a.py".ljust(257, b"\0") + b"ustar\0"),
    "gzip": ("a.txt", gzip.compress(b"a = 1\n")),
    "pickle": ("state.txt", pickle.dumps([1, 2])),
    "pickle by its name": ("state.pkl", b"(lp0\n."),
}
REVIEWS = {
    "notebook": ("a.ipynb", b'{"cells": []}\n'),
    "C++": ("a.cpp", b"int seed = 42;\n"),
    "script of Python without an ending": ("run", b"#!/usr/bin/env python3\nimport os\n"),
    "script of Perl": ("run.txt", b"#!/usr/bin/perl\n"),
    "picture": ("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\r"),
    "unknown bytes": ("weights", b"\0\1\2\3"),
}
PLAIN = {
    "coding utf-8-unix": ("a.py", b"# -*- coding: utf-8-unix -*-\n"),
    "coding in the third line": ("a.py", b"a = 1\nb = 2\n# coding: utf-7\n"),
    "mark of UTF-8": ("a.py", codecs.BOM_UTF8 + b"a = 1\n"),
    "YAML": ("a.yaml", b"# coding: utf-7\ndepth: 3\n"),
    "shell without an ending": ("run", b"#!/usr/bin/env bash\ntrue\n"),
    "document": ("README.md", "\u202b\u05e9\u05dc\u202c\n".encode()),
    "empty": ("__init__.py", b""),
    "letters of an archive": ("a.txt", b"MZ, PK and BZh are letters\n"),
}
FILES = [("CODE01", *file) for file in ERRORS.values()] + [("CODE04", *file) for file in REVIEWS.values()]
FILES += [("", *file) for file in PLAIN.values()]


@pytest.mark.parametrize(("code", "path", "data"), FILES, ids=[*ERRORS, *REVIEWS, *PLAIN])
def test_what_hides_code_or_is_read_by_nothing_is_told(look, code, path, data):
    found = [f for f in look({f"implementations/acme/{path}": data}) if f[2] != "CODE02" or code != "CODE01"]
    assert found == ([(f"implementations/acme/{path}", 1, code)] if code else [])


def test_what_is_said():
    assert foreign(("source", "a", "b.PYC")) == "compiled Python"
    assert foreign(("source", "a", "b.py")) == ""
    assert disguised("a.py", b"# coding: utf-7\n") == "the coding utf-7"
    assert disguised("a.py", b"a\0") == "a NUL in byte 2"
    assert disguised("a.py", "a\n# \u2067".encode()) == "a mark that reorders text, in line 2"
    assert unread("run", "#!/usr/bin/python3 -u\n", "") == "a script for /usr/bin/python3 -u"


@pytest.mark.parametrize(
    ("data", "coding"),
    [(b"#coding:x\n", "x"), (b"# encoding = a\n", ""), (b"x = 1 # coding: a\n", ""), (b"", ""), (b"#" * 9000, "")],
)
def test_coding_as_python_reads_it(data, coding):
    assert coding_of(data) == coding


@pytest.mark.parametrize("word", ["7", "-0.5", "1e-3", "2.", "[3,"])
@pytest.mark.parametrize(("count", "more"), [(1000, False), (1001, True)])
def test_numbers_are_counted(word, count, more):
    assert has_more_numbers(f"{word} " * count + "a1 v2.0 3d", 1000) == more
