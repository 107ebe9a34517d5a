"""What Sphinx needs to build these pages besides its own extensions."""
