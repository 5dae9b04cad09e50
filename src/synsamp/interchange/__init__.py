"""Write runs in the formats of other tools. Start reading at `write`."""

from synsamp.interchange.write import export as export
