"""Templates: SQL that Jinja writes. A file with Jinja's marks → its SQL, and where in the file each line comes from.

The same files render the same text: a template sees the project's names, its variables and its macros, and nothing
else, neither time, chance, environment, files nor tables. What it may cost is bounded: no template holds up the rest.
"""
