"""The verdict on two systems: every kind of evidence on them, and one answer."""
