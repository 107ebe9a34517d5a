"""The face of each kind of machine."""

from __future__ import annotations

from certo.report.classifier_faces import CLASSIFIERS
from certo.report.face import Face
from certo.report.regression_faces import REGRESSIONS

FACES: dict[type, Face] = {**CLASSIFIERS, **REGRESSIONS}


def face_of(machine) -> Face:
    return FACES[type(machine)]
