"""One file per experiment: ``draw(parameters, results)`` returns its figures by panel.

A key such as "A" or "CF" names the panels of the paper's figure that are drawn in it; the report
puts the figure beside the captions of those panels. ``draw`` runs inside `report.style.STYLE`;
take colours from that module, make figures with ``matplotlib.figure.Figure`` (no pyplot, so that
nothing global is touched), and read everything from the results.
"""
