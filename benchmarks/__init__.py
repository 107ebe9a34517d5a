"""Certo beside its rivals: one file per problem, measured in one process, alternating."""
