"""One badge on a technician's desk, over USB."""
