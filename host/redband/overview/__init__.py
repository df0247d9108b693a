"""What people read of a field: names, rows, the chronicle, treatments."""
