"""Facts and passages by meaning without an index: for a database that several workstations share.

A folder of each workstation would not hear of what others change: what is owed to an index is told once.
"""

from __future__ import annotations

from desktop_app.adapters.fact_index.index import FactIndex


class ScanningIndex(FactIndex):
    """Fulfils `core.ports.VectorIndex` by comparing with every vector."""

    async def open(self) -> bool:
        """There is nothing to open."""
        return False
