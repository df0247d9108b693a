"""What a badge is given: the firmware made small, and packages of it, of rules, of settings."""
