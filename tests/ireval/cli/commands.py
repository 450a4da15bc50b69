"""Running a command in the process of the test."""

from ireval.cli.main import main


def printed(capsys, *arguments: str) -> str:
    """What a command that succeeds prints."""
    assert main(arguments) == 0
    return capsys.readouterr().out


def complaint(capsys, *arguments: str) -> str:
    """What a command that is refused says, without the last line break."""
    assert main(arguments) == 2
    return capsys.readouterr().err.rstrip("\n")
