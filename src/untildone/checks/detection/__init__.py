"""One module per ecosystem whose projects are recognised."""

from untildone.checks.detection import go, make, node, python, rust
from untildone.checks.detection.candidate import Ecosystem

ECOSYSTEMS: dict[str, Ecosystem] = {"node": node, "python": python, "rust": rust, "go": go}
# Asked only for what the language's own tools left open.
FALLBACK: Ecosystem = make
