"""Tables and graphs in, models in and out: what lies in files."""
