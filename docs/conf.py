"""Configuration of the site: `make docs` builds it with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE / "_ext"))

import synsamp  # noqa: E402

project = "synsamp"
author = "The synsamp developers"
copyright = "The synsamp developers"
version = release = synsamp.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "mathml",
    "generated",
    "embedded",
    "figure_style",
    "sphinx_gallery.gen_gallery",
]

# Notebooks run when they change; an error in a cell fails the build.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 1800  # an hour of a busy machine is minutes of an idle one
nb_execution_show_tb = True
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 4
# [text](lab:scene=digits) leads from a lesson into the lab.
myst_url_schemes = {
    "http": None,
    "https": None,
    "mailto": None,
    "lab": {"url": "../lab.html#{{path}}", "title": "Open the lab", "classes": ["lab"]},
}
source_suffix = {".md": "myst-nb", ".rst": "restructuredtext"}  # the gallery writes .rst
exclude_patterns = [
    "_build",
    "_ext",
    "data",
    "jupyter_execute",
    "**.ipynb_checkpoints",
    "gallery/**/*.ipynb",
]

numpydoc_show_class_members = False
numpydoc_xref_param_type = False
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc sections have the types in words, with units and shapes
nitpicky = False

html_theme = "pydata_sphinx_theme"
html_title = "synsamp"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "show_toc_level": 2,
    "navbar_align": "left",
    "navigation_with_keys": True,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_nav_level": 1,
    "header_links_before_dropdown": 7,
    "logo": {"text": "synsamp"},
}
html_sidebars = {"index": []}
html_math_renderer = "mathml"

# Every example runs when it changes; errors fail the build at its end.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "reset_modules": ("figure_style.in_gallery",),
    "image_srcset": ["2x"],
    "thumbnail_size": (420, 300),
    "download_all_examples": False,
    "show_signature": False,
    "capture_repr": (),
    "write_computation_times": False,
    "min_reported_time": 1e6,
}
