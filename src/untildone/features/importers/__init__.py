"""Loops and plans imported from other tools' files."""

# Why a session's stops are looked at: the user trusts loop files in its project.
IMPORT_REASON = "dialects"
# In the folder of a loop that follows another tool's file: our note on that file.
FOLLOWED_FILE_NOTE = "followed-file.json"
