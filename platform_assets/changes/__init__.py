"""A change that has not shipped: two revisions of the project read, run and compared."""
