"""The event store: journal pages in, ordered records and folded states out."""
