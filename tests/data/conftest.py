"""Keep the tests of the data off the user's own data."""

import pytest


@pytest.fixture
def own_data_folder(tmp_path, monkeypatch):
    """An empty data folder in place of the user's."""
    folder = tmp_path / "data"
    monkeypatch.setenv("SYNSAMP_DATA", str(folder))
    return folder
