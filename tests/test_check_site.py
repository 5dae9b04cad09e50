"""The check of a built site finds broken links and files from elsewhere, and nothing else."""

from __future__ import annotations

import pytest

from tools import check_site


@pytest.fixture
def site(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a.html").write_text('<h1 id="top">A</h1><a href="b/c.html#here">c</a>')
    (tmp_path / "b" / "c.html").write_text(
        '<p id="here"><img src="../p.svg"><a href="../a.html#top">a</a><a href="#here">i</a>'
        '<a href="https://example.org">elsewhere, only followed</a>'
    )
    (tmp_path / "p.svg").write_text("<svg/>")
    return tmp_path


def test_a_site_without_faults(site, capsys):
    assert check_site.main([str(site)]) == 0
    assert "all links lead somewhere" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("element", "fault"),
    [
        ('<a href="none.html">x</a>', "none.html leads nowhere"),
        ('<a href="a.html#none">x</a>', "a.html#none has no such heading"),
        ('<img src="none.png">', "none.png leads nowhere"),
        ('<script src="https://cdn.org/x.js"></script>', "loads https://cdn.org/x.js"),
        ('<link rel="stylesheet" href="//fonts.org/x.css">', "loads //fonts.org/x.css"),
    ],
)
def test_a_fault_is_found(site, capsys, element, fault):
    (site / "d.html").write_text(element)
    assert check_site.main([str(site)]) == 1
    assert capsys.readouterr().out.strip() == f"d.html: {fault}"
