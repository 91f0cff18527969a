"""Pure values and decisions: contract, evidence, verdict, progress, feedback."""
