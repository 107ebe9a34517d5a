"""From a table to a fitted model, its predictions and its audit; model files and proof folders."""
