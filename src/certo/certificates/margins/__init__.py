"""How large a margin can be, and how near a soft-margin objective is to the best."""
