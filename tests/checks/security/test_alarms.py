"""False alarms: how many findings ordinary code has."""

import sysconfig
from pathlib import Path

import untildone
from untildone.checks.findings import Diagnostic
from untildone.checks.security.engine import scan_paths

STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
PACKAGES = ("asyncio", "concurrent", "email", "http", "json", "sqlite3", "urllib", "wsgiref")
FEWEST_LINES = 20_000
MOST_ALARMS = 5


def lines(folder: Path) -> int:
    return sum(len(file.read_bytes().splitlines()) for file in folder.rglob("*.py"))


def scan(folder: Path, *names: str) -> tuple[Diagnostic, ...]:
    return scan_paths(tuple(map(Path, names)), cwd=folder)


def test_our_own_source_is_clean() -> None:
    source = Path(untildone.__file__).parent

    assert scan(source.parent, source.name) == ()


def test_the_standard_library_gives_few_alarms() -> None:
    assert sum(lines(STANDARD_LIBRARY / name) for name in PACKAGES) > FEWEST_LINES
    alarms = scan(STANDARD_LIBRARY, *PACKAGES)

    assert len(alarms) <= MOST_ALARMS
    # `sqlite3` writes names of tables into statements, `asyncio` takes no checks for a server.
    assert {(alarm.path.partition("/")[0], alarm.code) for alarm in alarms} <= {
        ("sqlite3", "python-sql-injection"),
        ("asyncio", "python-tls-disabled"),
    }
