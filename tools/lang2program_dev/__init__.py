"""Developers' tools, which a clone has and the installed package has not."""
