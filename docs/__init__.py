"""The documentation: pages, the pictures in them, and what builds them."""
