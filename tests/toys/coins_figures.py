"""Draws the toy coins."""

from __future__ import annotations

from matplotlib.figure import Figure


def draw(parameters, runs):
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot()
    for results in runs:
        axes.plot(results["tossed"].heads.values)
    axes.set(xlabel="toss", ylabel="heads so far")
    return {"A": figure}
