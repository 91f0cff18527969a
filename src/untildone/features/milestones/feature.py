"""The feature "milestones": sends the events of a loop to the user's commands and notifiers."""

from untildone.engine.feature import Feature
from untildone.features.milestones import milestones

FEATURE = Feature(
    loop_started=milestones.attach_milestones, announce=milestones.announce_milestones
)
