"""What ends a rendering that Jinja alone would let pass."""


class Refused(Exception):
    """A template asks for what it cannot have: what is wrong, and what to do."""

    def __init__(self, problem: str, fix: str = "") -> None:
        self.problem = problem
        self.fix = fix
        super().__init__(problem, fix)


class TooMuch(Refused):
    """A rendering is beyond one of its bounds; the problem says which."""
