"""The commands of these tools, one module for each."""
