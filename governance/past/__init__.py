"""What rules need of the past, kept beside the store and brought up to date by what is new: see :mod:`.past`."""
