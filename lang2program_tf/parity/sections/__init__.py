"""The sections of a folder of recordings, a module each.

Each module has `find(folder) -> list[str]`, the recordings of its section in a folder, and
`check(folder, name) -> Iterable[Comparison]`, which compares one of them with this project.
"""
