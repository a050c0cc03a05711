"""What holds a parser's accuracy back: its predictions, taken apart step by step."""
