"""The order of the pages: sections with the title of each page and its file."""

import json
from collections.abc import Collection, Iterator

# Pages outside `docs/` that are part of the site, by the name they have there.
ROOT_PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
HOME = {"untildone": "index.md"}
SECTIONS: dict[str, dict[str, str]] = {
    "Start": {
        "Five minutes": "five-minutes.md",
        "Concepts": "concepts.md",
        "Agents": "agents.md",
        "Coming from another loop": "coming-from.md",
        "Loop files of other tools": "other-tools.md",
        "Questions": "faq.md",
    },
    "Use": {
        "Headless runs": "run.md",
        "Plans": "plans.md",
        "The queue": "queue.md",
        "How far it scales": "scale.md",
        "Loops from a spec": "spec-loops.md",
        "Promises, TODO lists, counts": "promises-todos-counts.md",
        "Automatic mode": "automatic-mode.md",
        "Money and minutes": "budget.md",
        "Reports": "report.md",
        "Live page": "live-page.md",
        "Notifications": "notifications.md",
        "CI": "ci.md",
        "Troubleshooting": "troubleshooting.md",
    },
    "What done proves": {
        "Integrity": "integrity.md",
        "Fail-to-pass": "fail-to-pass.md",
        "Pass-to-pass": "pass-to-pass.md",
        "The sandbox": "sandbox.md",
        "Other concerns": "concerns.md",
        "Integrity: the figures": "integrity-figures.md",
        "Receipts": "receipts.md",
        "Security model": "security.md",
        "Security rules": "security-rules.md",
        "Privacy": "privacy.md",
    },
    "Reference": {
        "Commands": "commands.md",
        "Configuration": "configuration.md",
        "Outcomes and exit codes": "outcomes.md",
        "JSON output": "json.md",
        "OpenTelemetry": "telemetry.md",
        "Performance": "performance.md",
    },
    "Project": {
        "Architecture": "ARCHITECTURE.md",
        "Contributing": "CONTRIBUTING.md",
        "Changelog": "CHANGELOG.md",
    },
}


def list_pages() -> tuple[str, ...]:
    """Return the files of all pages in their order."""
    return tuple(file for section in (HOME, *SECTIONS.values()) for file in section.values())


def format_navigation(existing: Collection[str]) -> str:
    """Return the pages that exist as a value of TOML, in which JSON's texts are texts too."""
    return f"[{', '.join(_format_sections(existing))}]"


def _format_sections(existing: Collection[str]) -> Iterator[str]:
    yield from _format_pages(HOME, existing)
    for title, pages in SECTIONS.items():
        if entries := ", ".join(_format_pages(pages, existing)):
            yield f"{{ {json.dumps(title)} = [{entries}] }}"


def _format_pages(pages: dict[str, str], existing: Collection[str]) -> Iterator[str]:
    for title, file in pages.items():
        if file in existing:
            yield f"{{ {json.dumps(title)} = {json.dumps(file)} }}"
