"""The A/B report: effects of the arms of a test on its metrics."""
