"""Trained weights: safetensors beside a JSON card that says where they come from."""

from marl.weights.store import (
    Weights,
    WeightsError,
    load_shipped,
    load_weights,
    save_weights,
    shipped_names,
    weights_for,
)

__all__ = [
    "Weights",
    "WeightsError",
    "load_shipped",
    "load_weights",
    "save_weights",
    "shipped_names",
    "weights_for",
]
