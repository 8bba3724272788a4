"""The learning platform that the demo makes, and the failures that it shows."""
