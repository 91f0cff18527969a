"""untildone keeps a coding agent working until the evidence says that the work is done."""

__version__ = "0.1.0"
