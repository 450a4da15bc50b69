"""What the database needs beyond the ORM. `rows` are written statements as models, and `planner` makes statistics after bulk
inserts. `numbers` may stand in addresses, `json_lists` can be searched, and `traces` of deleted rows are wiped from SQLite's
files.
"""
