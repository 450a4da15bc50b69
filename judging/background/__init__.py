"""Work in the background: whether it goes on, and what happens to a task that never ends well."""
