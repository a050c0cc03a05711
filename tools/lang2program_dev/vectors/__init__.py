"""Makes the file of word vectors that ships with the package."""
