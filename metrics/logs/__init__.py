"""Reports of what a site's users did: of its experiments, and of its clicks.

`asking` asks, `computing` computes in parts, `kinds` says of what; `reading` brings records into frames.
"""
