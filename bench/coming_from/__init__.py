"""Features of other tools beside ours, each with the test that fails once it is switched off."""
