"""Saving and loading weights, with everything that could make them unfit checked by name."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from graphs.schema import SCHEMA_VERSION
from problems.errors import MakespanError, UnsupportedError

SHIPPED = Path(__file__).parent


class WeightsError(MakespanError, ValueError):
    """Weights that cannot be used; the message names what was saved and what was asked for."""


@dataclass(frozen=True)
class Weights:
    """Arrays of a policy and its card.

    Attributes
    ----------
    arrays
        By name.
    card
        Policy, families, schema version, training sizes, seeds, versions, command, validation, SHA-256 of the file.
    """

    arrays: dict[str, np.ndarray]
    card: dict[str, Any]

    def require(self, policy: str, family: str | None) -> None:
        """Raise `WeightsError` unless these are weights of ``policy`` for ``family`` (None: any) and this schema."""
        asked = {"policy": policy, "schema_version": SCHEMA_VERSION}
        for key, value in asked.items():
            if self.card.get(key) != value:
                raise WeightsError(f"the weights were saved with {key} {self.card.get(key)!r}; asked for {value!r}")
        if family is not None and family not in self.card["families"]:
            trained = ", ".join(self.card["families"])
            raise WeightsError(f"the weights were trained for {trained}; the instance is of family '{family}'")


def save_weights(path: Path, arrays: dict[str, np.ndarray], card: dict[str, Any]) -> None:
    """Write ``path`` (.safetensors) and its card (.json) so that neither is ever half-written."""
    data = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    full = {**card, "schema_version": SCHEMA_VERSION, "sha256": hashlib.sha256(data).hexdigest()}
    _write(path, data)
    _write(path.with_suffix(".json"), (json.dumps(full, indent=2, allow_nan=False) + "\n").encode())


def _write(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)


def load_weights(path: Path) -> Weights:
    """Read weights and card.

    Raises
    ------
    WeightsError
        If a file is missing or unreadable, or the weights are not those of the card.
    """
    try:
        data = path.read_bytes()
        card = json.loads(path.with_suffix(".json").read_bytes())
    except (OSError, ValueError) as error:
        raise WeightsError(f"{path}: weights and card could not be read: {error}") from error
    found = hashlib.sha256(data).hexdigest()
    if found != card.get("sha256"):
        raise WeightsError(f"{path}: SHA-256 {found} differs from the card's {card.get('sha256')}; get the file anew")
    return Weights(load(data), card)


def shipped_names() -> list[str]:
    """Names of the weights in the package, such as ``tuned-jsp``."""
    return sorted(path.stem for path in SHIPPED.glob("*.safetensors"))


def load_shipped(policy: str, family: str) -> Weights:
    """Weights of ``policy`` for ``family`` from the package.

    Raises
    ------
    UnsupportedError
        If there are none; the message lists those that there are.
    WeightsError
        If they are damaged or of another schema.
    """
    name = f"{policy}-{family}"
    if name not in shipped_names():
        raise UnsupportedError(
            f"there are no trained weights '{name}' (there are: {', '.join(shipped_names())}); solve an instance of "
            f"family '{family}' with a rule (--solver spt-twkr), pilot or cp-sat, or give weights (--weights)"
        )
    weights = load_weights(SHIPPED / f"{name}.safetensors")
    weights.require(policy, family)
    return weights


def weights_for(policy: str, family: str, path: Path | None) -> Weights:
    """Weights of ``policy`` for ``family``: those in ``path``, or the shipped ones.

    Raises
    ------
    UnsupportedError
        If no path is given and none are shipped.
    WeightsError
        If they cannot be read, or are of another policy, family or schema.
    """
    if path is None:
        return load_shipped(policy, family)
    weights = load_weights(path)
    weights.require(policy, family)
    return weights
