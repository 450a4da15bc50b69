"""What the arms of an A/B test did to its metrics."""
