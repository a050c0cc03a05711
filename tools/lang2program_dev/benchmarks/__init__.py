"""How fast it is: search, training and serving, measured with warm-up left out."""
