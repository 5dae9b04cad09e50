"""Give notebooks and examples synsamp's figure style, so that their code need not mention it.

Notebooks run in separate processes, which read an IPython profile written before the build.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import matplotlib

from synsamp.figures.style import STYLE

PROFILE = """
c.InlineBackend.figure_formats = {"svg"}
c.InteractiveShellApp.exec_lines = [
    "import matplotlib, synsamp.figures.style; "
    "matplotlib.rcParams.update(synsamp.figures.style.STYLE); "
    "del matplotlib, synsamp",
]
"""


def in_gallery(configuration: dict[str, Any], name: str) -> None:
    """Set the style before each example; the gallery itself doubles the resolution."""
    matplotlib.rcParams.update({**STYLE, "savefig.dpi": "figure"})


def in_notebooks(app: Any, configuration: Any) -> None:
    """Write the profile and point to it."""
    folder = Path(app.doctreedir).parent / ".ipython"
    profile = folder / "profile_default" / "ipython_kernel_config.py"
    profile.parent.mkdir(parents=True, exist_ok=True)
    profile.write_text(PROFILE, encoding="utf-8")
    os.environ["IPYTHONDIR"] = str(folder)


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("config-inited", in_notebooks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
