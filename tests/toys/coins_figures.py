"""Draws the toy coins."""

from __future__ import annotations

from matplotlib.figure import Figure


def draw(parameters, results):
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot()
    axes.plot(results["tossed"].heads.values.T)
    axes.set(xlabel="toss", ylabel="heads so far")
    return {"A": figure}
