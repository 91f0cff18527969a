"""Paths inside of `node_modules`: which package a file belongs to, and which files Node loads."""

import re

from untildone.core.late_patterns import compile_late

# node_modules/@scope/name/lib/index.js
PACKAGE_FILE = compile_late(
    r"(?P<package>(?:.*/)?node_modules/(?:@[^/]+/)?(?!\.)[^/@]+)/(?P<inner>.+)", re.DOTALL
)
LOADED_FILE = compile_late(r".*\.([cm]?[jt]s|json|node|wasm|[jt]sx)")


def find_package(path: str) -> str:
    """Return the folder of the package that the file belongs to; empty if there is none."""
    match = PACKAGE_FILE.fullmatch(path)
    return match["package"] if match else ""
