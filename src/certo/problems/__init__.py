"""Objectives as values: what is minimised, its dual, and what is feasible, each written once."""
