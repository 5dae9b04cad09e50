"""The map of verdicts, for few columns and for more than a page has room for."""

from __future__ import annotations

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from synsamp.report.verdict_map import SIGNS, WIDEST, draw_verdicts

WORDS = tuple(SIGNS)


def drawn(columns, **options):
    verdicts = [[WORDS[(i + k) % 4] for k in range(columns)] for i in range(2)]
    names = [f"k={k}" for k in range(columns)]
    figure = draw_verdicts(["first", "second"], names, verdicts, **options)
    FigureCanvasAgg(figure).draw()
    (axes,) = figure.axes
    return figure, axes


@pytest.mark.parametrize("columns", [1, 8, 9, 31])
def test_every_cell_has_its_sign_and_every_column_its_name(columns):
    _, axes = drawn(columns)
    signs = [text.get_text() for text in axes.texts]
    assert signs == [SIGNS[WORDS[(i + k) % 4]] for i in range(2) for k in range(columns)]
    assert [t.get_text() for t in axes.get_xticklabels()] == [f"k={k}" for k in range(columns)]


@pytest.mark.parametrize("columns", [300, 20_000])
def test_however_many_columns_there_are_the_figure_stays_a_figure(columns):
    figure, axes = drawn(columns)
    assert figure.get_figwidth() == WIDEST
    assert not axes.texts
    assert 20 < len(axes.get_xticklabels()) <= 60


def test_what_was_not_judged_is_left_empty_and_the_first_column_stands_apart():
    figure = draw_verdicts(["only"], ["unchanged", "a", "b"], [["holds", "", "fails"]])
    assert [text.get_text() for text in figure.axes[0].texts] == ["✓", "✗"]
    assert not [line for line in figure.axes[0].lines if len(line.get_xdata())]
    apart = draw_verdicts(["only"], ["unchanged", "a"], [["holds", "fails"]], first_apart=True)
    (line,) = [line for line in apart.axes[0].lines if len(line.get_xdata())]
    assert list(line.get_xdata()) == [0.5, 0.5]
