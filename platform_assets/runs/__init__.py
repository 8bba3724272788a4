"""One run of one pipeline, from what it reads to its last event."""
