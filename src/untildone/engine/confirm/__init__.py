"""Green checks confirmed: compared with the baseline and run again in the sandbox."""
