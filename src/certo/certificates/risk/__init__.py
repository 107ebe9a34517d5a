"""Bounds on the error rate on new data."""
