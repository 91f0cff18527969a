"""Milestones: the user's own commands and notifications receive the events of a loop."""

from untildone.engine.feature import Feature
from untildone.features.milestones import milestones

FEATURE = Feature(
    loop_started=milestones.attach_milestones, announce=milestones.announce_milestones
)
