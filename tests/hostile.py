"""Files to attack with: models, their parts, and damage to them."""

import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from estimators import problem
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, SplineTransformer

import linework
from linework.persist.archive import DESCRIPTION, EPOCH

Parts = dict[str, bytes]

# Values that are no good where numbers, names and parts are expected.
AWKWARD: list[Any] = [
    None,
    True,
    -1,
    0,
    2**31,
    2**63,
    10**30,
    1e308,
    "",
    "os:system",
    "linework:save",
    "linework.engine:threads",
    "builtins:eval",
    "predict",
    [],
    {},
    {"array": 0},
    {"array": 10**9},
    {"float": "nan"},
    {"float": "x"},
    {"tuple": []},
    {"dict": [[{"dict": []}, 1]]},
    {"object": ["linework:Ridge", {}]},
    {"object": ["subprocess:Popen", {"args": ["true"]}]},
    {"objects": [[10**9, 0], []]},
    {"objects": [[-1, -1], [1]]},
    {"sparse": ["csr_array", [2, 10**15], {"array": 0}, {"array": 0}, {"array": 0}]},
    {"spline": [{"array": 0}, {"array": 0}, 3, True, 0]},
    {"type": "memmap"},
    {"type": "save"},
    {"dtype": "V1000000"},
    {"scalar": ["float64", "x"]},
    {"member": ["linework:Ridge", "x"]},
]


def models() -> list[tuple[Any, Any]]:
    """Fitted models, of which each holds other kinds of things, with golden rows to give."""
    rng = np.random.default_rng(0)
    X, y = problem(linework.Ridge(), n=40, d=3)
    labels = np.array(["no", "perhaps", "yes"], object)[np.digitize(y, [-5.0, 10.0])]
    words = np.array(["a", "b", "c"], object)[rng.integers(0, 3, (40, 2))]
    splines = make_pipeline(SplineTransformer(3), PolynomialFeatures(2), linework.Ridge())
    return [
        (linework.Ridge().fit(X, y), None),
        (linework.QuadraticDiscriminantAnalysis().fit(X, labels), None),
        (linework.DecisionClassifier().fit(X, labels), None),
        (linework.CalibratedClassifier(method="isotonic").fit(X, labels), None),
        (linework.GLM("poisson", alpha=0.1).fit(X, np.exp(y / 20.0)), None),
        (make_pipeline(OneHotEncoder(), linework.Ridge()).fit(words, y), words),
        (splines.fit(X, y), X),
    ]


def parts_of(path: Path) -> Parts:
    """The members of a file, by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: Parts) -> bytes:
    """The members as a file whose checksums are right."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data)
    return file.getvalue()


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes with a few changed, cut out, doubled or put in."""
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at, length = rng.randrange(len(data) + 1), rng.choice([1, 1, 2, 4, 8, 100])
        part = data[at : at + length]
        part = rng.choice(
            [rng.randbytes(len(part)), bytes(len(part)), b"\xff" * length, b"", part * 2]
        )
        data = data[:at] + part + data[at + length :]
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data


def altered(node: Any, rng: random.Random) -> Any:
    """The description with one of its nodes, at any depth, replaced, dropped or swapped."""
    if not isinstance(node, dict | list) or not node or rng.random() < 0.1:
        return rng.choice(AWKWARD)
    keys = list(node) if isinstance(node, dict) else list(range(len(node)))
    key = rng.choice(keys)
    changed = node.copy()
    action = rng.random()
    if action < 0.05:
        del changed[key]
    elif action < 0.1:
        changed[key] = node[rng.choice(keys)]
    elif action < 0.15 and isinstance(changed, dict):
        changed[str(rng.choice(AWKWARD))] = changed.pop(key)
    else:
        changed[key] = altered(node[key], rng)
    return changed


def attacked(parts: Parts, rng: random.Random) -> bytes:
    """A file from these parts: damaged anywhere, or in its description, or in an array."""
    road = rng.random()
    if road < 0.2:
        return damaged(packed(parts), rng)
    parts = dict(parts)
    if road < 0.7:
        node = json.loads(parts[DESCRIPTION])
        for _ in range(rng.choice([1, 1, 2, 4])):
            node = altered(node, rng)
        parts[DESCRIPTION] = json.dumps(node).encode()
    else:
        name = rng.choice(sorted(parts))
        if rng.random() < 0.3:
            parts[name] = parts[rng.choice(sorted(parts))]
        else:
            parts[name] = damaged(parts[name], rng)
    return packed(parts)
