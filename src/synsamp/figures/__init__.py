"""Shared parts of figures: colours, matplotlib settings, image montages.

Figures are drawn with the settings `style.STYLE` and created with ``matplotlib.figure.Figure``
(without pyplot, which has global state).
"""
