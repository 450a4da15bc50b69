"""Work in the background: `executions` notes each start of a task, and parks a task that never ends well. `heartbeat` gives the
signs of life of long work. `status` says by both whether background work goes on at all.
"""
