"""Collections and what comes into them.

A file's way in: `uploads` takes pieces, and `upload_chunks` keeps them. `upload_check` reads the whole file in Celery, by
`parsers/` and the library's readers, and collects every problem with its line. `imports/` makes the file visible in one
transaction. `storage` keeps runs and qrels, `downloads` hands them out, `deletion` takes away what nothing was built on.
`topics` tags topics and finds them by their tags. `orphans` puts files that no row names into a trash, if `stamps` finds that
they are this database's.
"""
