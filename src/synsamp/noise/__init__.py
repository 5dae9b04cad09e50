"""Random streams: many small generators, and normals that come in vectors."""
