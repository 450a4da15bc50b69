"""News of studies and reports, for researchers who subscribed.

`events` says what happened, `delivery` sends it until it arrives, `webhooks` is how a program gets it. `study_endings` looks for
studies that are finished or have reached their budget.
"""
