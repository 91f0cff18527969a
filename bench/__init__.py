"""What untildone costs: `python -m bench [SUBJECT…]`, one module for each subject."""
