"""Studies before they run.

`pool_plan` says what a graded study would ask for and `pair_plan` a side-by-side one; `power` and `pair_power` which
difference they could find. `launch` snapshots the plan as items and slots, closes and archives; `growth` adds documents
to a launched study, and `additions` takes them back. `wanted_votes` has some items judged by more workers than all.
`starter` suggests texts to begin with.
"""
