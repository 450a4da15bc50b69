"""What the database needs beyond the ORM: rows of written statements, the planner, keys in addresses, erased traces."""
