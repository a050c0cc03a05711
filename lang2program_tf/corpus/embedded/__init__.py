"""A corpus like SCONE that needs no files: made by grammars, with a gold program a sentence."""
