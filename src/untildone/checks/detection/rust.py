"""Rust: `cargo build` and `cargo test`, and the linters that are configured."""

from collections.abc import Iterator
from pathlib import Path

from untildone.checks.detection.candidate import Candidate
from untildone.checks.detection.project_files import find_first

_LINTERS = (
    ("fmt", "cargo fmt --check", ("rustfmt.toml", ".rustfmt.toml")),
    ("clippy", "cargo clippy -- -D warnings", ("clippy.toml", ".clippy.toml")),
)


def find_candidates(project: Path) -> Iterator[Candidate]:
    if not (project / "Cargo.toml").is_file():
        return
    reason = "`Cargo.toml` makes it a Rust project"
    yield Candidate(aspect="build", tool="cargo", command="cargo build", reason=reason)
    yield Candidate(aspect="test", tool="cargo", command="cargo test", reason=reason)
    for tool, command, files in _LINTERS:
        if file := find_first(project, *files):
            yield Candidate(
                aspect="lint",
                tool=tool,
                command=command,
                reason=f"`cargo {tool}` is configured in `{file}`",
            )
