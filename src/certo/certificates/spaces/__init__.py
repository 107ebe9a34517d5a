"""Hyperplanes and functions of an RKHS: values with their allowances."""
