"""`untildone.toml`, or `[tool.untildone]` in `pyproject.toml`: what a repository proposes."""

from untildone.config.files import Proposal, personal, proposal, proposals
from untildone.config.model import (
    Configuration,
    Configured,
    Event,
    Milestone,
    Personal,
    Template,
)

__all__ = [
    "Configuration",
    "Configured",
    "Event",
    "Milestone",
    "Personal",
    "Proposal",
    "Template",
    "personal",
    "proposal",
    "proposals",
]
