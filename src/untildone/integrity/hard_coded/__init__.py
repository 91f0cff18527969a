"""Answers that are hard-coded for the tests' own inputs."""
