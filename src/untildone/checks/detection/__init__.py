"""Detection of checks: one module per ecosystem."""

from untildone.checks.detection import (
    cmake,
    deno,
    go,
    java,
    make,
    node,
    python,
    python_linters,
    rust,
)
from untildone.checks.detection.candidate import Ecosystem

ECOSYSTEMS: dict[str, Ecosystem] = {
    "node": node,
    "deno": deno,
    "python": python,
    "python_linters": python_linters,
    "rust": rust,
    "go": go,
    "java": java,
    "cmake": cmake,
}
# Used only for aspects that no ecosystem has a check for.
FALLBACK: Ecosystem = make
