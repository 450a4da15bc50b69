"""The click report of a site: its numbers, what each reader may see of them, words, files, and grades from clicks."""
