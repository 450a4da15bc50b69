"""What the database needs beyond the ORM: `rows` of written statements as models, `planner` statistics after bulk inserts,
`numbers` that addresses may hold, `json_lists` that can be searched, `traces` of deleted rows in SQLite's files.
"""
