"""Tables in, models in and out: what lies in files."""
