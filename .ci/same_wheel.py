"""Run by check-wheel: do two wheels hold the same files? Times are no part of it."""

from __future__ import annotations

import sys
import zipfile
from hashlib import sha256


def files(path: str) -> dict[str, str]:
    with zipfile.ZipFile(path) as wheel:
        return {name: sha256(wheel.read(name)).hexdigest() for name in wheel.namelist()}


first, second = map(files, sys.argv[1:])
differing = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
assert not differing, f"the sdist builds another wheel than the checkout: {differing}"
print(f"the sdist and the checkout build the same wheel: {len(first)} files")
