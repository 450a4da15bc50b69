"""Collections and what comes into them.

A file's way in: `uploads` takes pieces, and `upload_chunks` keeps them. `upload_check` reads the whole file in Celery, by
`parsers/` and the library's readers, and collects every problem with its line. `imports/` makes the file visible in one
transaction. `storage` keeps runs and qrels, `downloads` hands them out, `deletion` takes away what nothing was built on.
`topic_tags` tags topics and finds them by their tags. `attachments` are files that explain a topic, `document_images` those that
its documents show. Both are of `file_types` that cannot act. `orphans` puts files that no row names into a trash, if `stamps`
finds that they are this database's.
"""
