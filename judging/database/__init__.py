"""What the database needs beyond the ORM: `rows` of written statements as models, `planner` statistics after bulk inserts,
`numbers` that addresses may hold, `traces` of deleted rows in SQLite's files.
"""
