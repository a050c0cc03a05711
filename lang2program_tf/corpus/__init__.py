"""Data: where it lies, how it is fetched and read, and how it becomes batches."""
