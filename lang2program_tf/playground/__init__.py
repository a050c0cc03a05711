"""A page to play on: its files, and a server that puts it in front of a TF Serving."""
