"""The boxes of the notes in a kernel's space, one visit after the other, on a Gram matrix."""

from fractions import Fraction


def kernel_perceptron_box(gram, signs, epochs=1, *, lift=0, at_zero="negative", budget=None):
    """(coefficients by example, oldest update first; updated examples in order; epochs run)."""
    rows = [[Fraction(float(v)) + lift for v in row] for row in gram]
    terms: dict[int, int] = {}
    updates: list[int] = []
    for epoch in range(epochs):
        before = len(updates)
        for t, row in enumerate(rows):
            score = sum(c * row[s] for s, c in terms.items())
            at_edge = at_zero == "always" or (at_zero == "positive") == (signs[t] > 0)
            if signs[t] * score < 0 or (score == 0 and at_edge):
                updates.append(t)
                terms[t] = terms.pop(t, 0) + int(signs[t])  # now the newest
                if budget is not None and len(terms) > budget:
                    del terms[next(iter(terms))]
        if len(updates) == before:
            return terms, updates, epoch + 1
    return terms, updates, epochs


def kernel_pegasos_box(gram, signs, lam, draws, *, lift=0):
    """Coefficients of w_1, …, w_{T+1}, exactly; the box as it is printed, no closed form."""
    rows, lam = [[Fraction(float(v)) + lift for v in row] for row in gram], Fraction(lam)
    coef = [Fraction(0)] * len(rows)
    iterates = [coef]
    for t, i in enumerate(draws, start=1):
        margin = int(signs[i]) * sum(a * k for a, k in zip(coef, rows[i], strict=True))
        coef = [(1 - Fraction(1, t)) * a for a in coef]
        if margin < 1:
            coef[i] += int(signs[i]) / (lam * t)
        iterates.append(coef)
    return iterates
