"""Judges branch coverage: pure modules must be covered fully, all others together nearly so."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

PURE = (
    "core/",
    "checks/parsers/",
    "agents/",
    "features/importers/fields.py",
    "features/importers/file_parsing.py",
    "features/importers/formats/",
    "features/importers/plan_formats/",
    "features/markdown.py",
    "features/spec/rubric.py",
)
MIN_PERCENT_OF_OTHERS = 95.0


def main() -> int:
    modules = _measure_modules()
    pure = {path: summary for path, summary in modules.items() if path.startswith(PURE)}
    others = {path: summary for path, summary in modules.items() if path not in pure}
    gaps = sorted(path for path, summary in pure.items() if summary["percent_covered"] < 100)
    for path in gaps:
        print(f"not covered fully: {path} {pure[path]['percent_covered']:.1f} %")
    least_covered = sorted(others.items(), key=lambda item: item[1]["percent_covered"])[:12]
    for path, summary in least_covered:
        print(f"{summary['percent_covered']:5.1f} % {path}")
    reached = _compute_percent(others)
    print(f"pure modules covered fully: {len(pure) - len(gaps)} of {len(pure)}")
    print(f"all others: {reached:.1f} %")
    return int(bool(gaps) or reached < MIN_PERCENT_OF_OTHERS)


def _measure_modules() -> dict[str, dict[str, int]]:
    """Return the summary of each module, by its path below the package."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        report = [sys.executable, "-m", "coverage", "json", "--quiet", "-o", file.name]
        subprocess.run(report, check=True)
        files = json.loads(Path(file.name).read_text(encoding="utf-8"))["files"]
    return {path.partition("untildone/")[2]: value["summary"] for path, value in files.items()}


def _compute_percent(files: dict[str, dict[str, int]]) -> float:
    covered = sum(value["covered_lines"] + value["covered_branches"] for value in files.values())
    total = sum(value["num_statements"] + value["num_branches"] for value in files.values())
    return 100 * covered / max(1, total)


if __name__ == "__main__":
    raise SystemExit(main())
