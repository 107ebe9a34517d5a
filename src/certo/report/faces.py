"""The face of each kind of machine."""

from __future__ import annotations

from certo.report.classifier_faces import CLASSIFIERS
from certo.report.face import Face

FACES: dict[type, Face] = {**CLASSIFIERS}


def face_of(machine) -> Face:
    return FACES[type(machine)]
