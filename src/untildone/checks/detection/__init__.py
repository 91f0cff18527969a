"""One module per ecosystem whose projects are recognised."""

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
# Asked only for what the language's own tools left open.
FALLBACK: Ecosystem = make
