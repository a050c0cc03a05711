"""Command lines: one module a command, each with `main(argv) -> int`."""
