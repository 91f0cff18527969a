"""The configuration that a repository proposes, and the user's own settings.

A repository has `untildone.toml`, or `[tool.untildone]` in `pyproject.toml`.
"""

from untildone.config.model import (
    CheckSettings,
    Configuration,
    Event,
    Milestone,
    Template,
    UserSettings,
)
from untildone.config.proposals import Proposal, load_proposal, load_proposals, load_user_settings

__all__ = [
    "CheckSettings",
    "Configuration",
    "Event",
    "Milestone",
    "Proposal",
    "Template",
    "UserSettings",
    "load_proposal",
    "load_proposals",
    "load_user_settings",
]
