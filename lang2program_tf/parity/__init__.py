"""Checks against recordings of the original system, and import of its weights."""
