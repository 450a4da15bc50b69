"""The report on a graded study: how far its labels can be trusted, over all, by item and by worker."""
