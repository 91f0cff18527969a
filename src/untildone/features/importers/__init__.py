"""Loops and plans imported from other tools' files.

"Dialects" is an older word for their formats: an option and the names of our state files have it.
"""

# Why a session's stops are looked at: the user trusts loop files in its project. A file of that
# name in the session's folder has the notices that the session has already shown.
IMPORT_REASON = "dialects"
# In the folder of a loop that follows another tool's file: our note on that file.
FOLLOWED_FILE_NOTE = "followed-file.json"
