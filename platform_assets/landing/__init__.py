"""Files that land in folders and object stores, as sources.toml declares them."""
