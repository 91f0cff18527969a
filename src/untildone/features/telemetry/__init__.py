"""Loops as OpenTelemetry traces, sent after the fact where the user asked for it."""
