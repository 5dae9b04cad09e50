"""The chart of the benchmarks has every comparison of the page, also those that synsamp loses."""

from __future__ import annotations

import pytest

from tools import benchmark_chart

PAGE = """
<!-- rule: begin -->
| sampler | time / synsamp |
| --- | --- |
| synsamp | 1 |
| NumPy | 2 |
| NumPy | 8 |
<!-- rule: end -->
<!-- rbm: begin -->
| by | time / synsamp |
| --- | --- |
<!-- rbm: end -->
<!-- spiking: begin -->
| case | us per spike | against |
| --- | --- | --- |
| a | 2.0 | Brian2 2.9.0, C++, dt 1 ms: 500 us |
<!-- spiking: end -->
<!-- sampling: begin -->
| posterior | method | ESS per s |
| --- | --- | --- |
| flat | synsamp, Underdamped | 1e+03 |
| flat | blackjax NUTS | 2e+03 |
<!-- sampling: end -->
<!-- jax: begin -->
| method | parameters | ms per step |
| --- | --- | --- |
| synsamp | 1000 | 4 |
| blackjax SGLD | 1000 | 3 |
<!-- jax: end -->
"""


def test_ratios_come_from_the_tables():
    assert benchmark_chart.ratios(PAGE) == pytest.approx(
        {
            "Langevin updates: NumPy": 4.0,  # the geometric mean
            "network spike: Brian2": 250.0,
            "effective sample, flat: NUTS": 0.5,
            "step of 1,000 parameters in JAX: SGLD": 0.75,
        }
    )


def test_the_chart_is_drawn_from_the_page(tmp_path):
    found = benchmark_chart.ratios(benchmark_chart.PAGE.read_text(encoding="utf-8"))
    benchmark_chart.draw(found, tmp_path / "chart.svg")
    drawn = (tmp_path / "chart.svg").read_text()
    assert all(name in drawn for name in found)
    assert min(found.values()) < 1 < max(found.values())
