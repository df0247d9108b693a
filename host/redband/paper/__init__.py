"""What is printed or drawn: cards and state diagrams."""
