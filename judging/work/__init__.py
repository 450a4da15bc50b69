"""What workers do: the next item, answers, leases, overlap, checks among the work, and who may no longer go on."""
