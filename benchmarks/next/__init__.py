"""What judging less costs, and how often stopping early is wrong."""
