"""The report on a graded study: how far its labels can be trusted, between workers, item by item, worker by worker."""
