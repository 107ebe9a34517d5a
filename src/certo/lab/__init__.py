"""The laboratory in a browser: points on a plane, an algorithm step by step, its theorem beside it.

Nothing is learned here, nor in the page: `experiments` call the estimators, `proving` the checker.
`server` and `session` carry states of a tab in, and facts out; `page` draws them.
"""

USUAL_PORT = 8421  # Links of the documentation lead to it: a page that is open there leads on.
