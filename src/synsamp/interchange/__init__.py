"""Write runs in the formats of other tools. Start reading at `export`."""

from synsamp.interchange.export import export as export
