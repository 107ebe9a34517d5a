"""Every compiled loop: arrays and NamedTuples in, arrays out."""
