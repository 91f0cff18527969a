"""Named loops: presets, built-in templates, templates of the configuration."""
