"""What pages show of the project: panels of figures, examples of the gallery, the running lab."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive, directives

from synsamp.experiments.registry import REGISTRY
from synsamp.lab.single_file import write_single_file


class Panels(Directive):
    """``panels:: adaptation EF``: a drawing of the last full run, with captions from the code."""

    required_arguments = 2
    option_spec = {"preset": directives.unchanged}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """A figure with one line per panel below it."""
        experiment, panels = self.arguments
        preset = self.options.get("preset", "paper")
        captions = REGISTRY.find(experiment).load().captions
        described = {p: captions[p] for p in ([panels] if panels in captions else panels)}
        words = "; ".join(text.split(".")[0] for text in described.values())
        name = f"/images/reproduction-{experiment}-{preset}-{panels}.png"
        lines = nodes.line_block(classes=["panels"])
        for panel, text in described.items():
            lines += nodes.line("", "", nodes.strong(text=panel), nodes.Text(" " + text))
        return [nodes.image(uri=name, alt=words, classes=["panel"]), lines]


EXAMPLES = Path(__file__).parents[2] / "examples"


class Examples(Directive):
    """A row of examples of the gallery, a line each: thumbnail and question, as a link."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """A box per example."""
        row = nodes.container(classes=["examples"])
        depth = self.state.document.settings.env.docname.count("/")
        for name in self.content:
            folder, _, script = name.partition("/")
            question = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").split("\n")[1]
            picture = f"/gallery/{folder}/images/thumb/sphx_glr_{script}_thumb.png"
            address = "../" * depth + f"gallery/{name}.html"
            link = nodes.reference("", "", internal=True, refuri=address)
            link += [nodes.image(uri=picture, alt=""), nodes.inline("", question)]
            row += nodes.paragraph("", "", link)
        return [row]


class Lab(Directive):
    """The lab on one of its scenes; it starts when the reader scrolls to it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A frame with the single-file lab."""
        scene = self.arguments[0]
        depth = self.state.document.settings.env.docname.count("/")
        address = "../" * depth + f"lab.html#scene={scene}"
        html = (
            f'<iframe class="lab" src="{address}" loading="lazy" '
            f'title="The lab, running in this page: scene {scene}"></iframe>\n'
            f'<p class="lab-link"><a href="{address}">Open the lab in its own page</a></p>'
        )
        return [nodes.raw("", html, format="html")]


def write_lab(app: Any, error: Exception | None) -> None:
    """Put the lab in one file next to the pages."""
    if error is None and app.builder.format == "html":
        write_single_file(Path(app.outdir) / "lab.html")


def setup(app: Any) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("panels", Panels)
    app.add_directive("examples", Examples)
    app.add_directive("lab", Lab)
    app.connect("build-finished", write_lab)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
