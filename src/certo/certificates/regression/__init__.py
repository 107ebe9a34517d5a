"""How near least squares and logistic regression are to the best fit."""
