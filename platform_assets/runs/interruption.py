"""What interrupted a run, also where a library made an error of its own of it.

Terminate and Ctrl-C are exceptions in whatever the main thread does at that moment. Python's own locks then say that
they are not held, some libraries wrap what they do not know; Dagster would take the run for failed, not for canceled.
"""


def interruption(error: BaseException) -> BaseException:
    """Return what interrupted the work that ended in ``error``; ``error`` itself where nothing did."""
    came: BaseException | None = error
    while came is not None:
        if not isinstance(came, Exception | GeneratorExit):
            return came
        came = came.__cause__ or came.__context__
    return error
