"""What a protocol can record. One file per record.

Give `StateRecord` and `IntervalRecord`, or any function of a `View`, as ``every(seconds, what)`` or
``at_marks(what)``. `EventRecord` and `SyncRecord` need no interval.
"""
