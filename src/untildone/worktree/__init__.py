"""The files of a project: which there are, their content, their fingerprint."""
