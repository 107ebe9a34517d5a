"""Tables of tosses of a fair coin, of which nothing better than one half is true."""

import numpy as np


def tosses(random, m):
    y = np.where(random.random(m) < 0.5, "up", "down")
    y[:2] = "up", "down"
    return y


TOSSED = "the error rate of every rule about a fair coin is one half"
