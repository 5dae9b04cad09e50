"""Draws the toy walk."""

from __future__ import annotations

from matplotlib.figure import Figure


def draw(parameters, runs):
    path = runs[0]["path"]
    figure = Figure(figsize=(10, 3))  # wider than a phone can show
    axes = figure.add_subplot()
    axes.plot(path.block, path.position[:, 0])
    axes.set(xlabel="block", ylabel="position / m")
    spread = Figure(figsize=(4, 3))
    axes = spread.add_subplot()
    axes.hist(path.position[:, 0], bins=20)
    axes.set(xlabel="position / m", ylabel="blocks")
    return {"A": figure, "B": spread}
