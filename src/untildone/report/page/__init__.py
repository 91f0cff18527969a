"""The report as a page: what it shows as values, its charts, its templates."""
