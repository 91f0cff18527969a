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

ECOSYSTEMS: tuple[Ecosystem, ...] = (node, deno, python, python_linters, rust, go, java, cmake)
# Used only for aspects that no ecosystem has a check for.
FALLBACK: Ecosystem = make
