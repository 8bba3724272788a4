"""Files that land beside the catalog: what is declared of them, and what they are called."""
