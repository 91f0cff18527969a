"""Makes the documentation site from `docs/`, its generated page and its terminal scenes."""
