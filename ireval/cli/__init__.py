"""The command `ireval`: one file per subcommand."""
