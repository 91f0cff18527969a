"""Driving an agent without a person."""
