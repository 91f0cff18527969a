"""The client's permission rules for the commands of ours that we give to an agent."""

from untildone.commands.agent_calls import CHECK, REPORTING_VERBS

# What an agent may run without asking in any session: it reports and reads.
PERMISSIONS = (
    *(f"Bash(untildone {verb}:*)" for verb in REPORTING_VERBS),
    # `show --reports` writes files.
    "Bash(untildone show)",
    "Bash(untildone show --at-start:*)",
)
# What it may run in a loop, where each stop runs the checks anyway. It is no rule for every
# session: an agent that may only edit files could edit a check and run it. In a session with a
# loop the hook of tool calls permits it.
LOOP_PERMISSIONS = (*PERMISSIONS, f"Bash(untildone {CHECK}:*)")
