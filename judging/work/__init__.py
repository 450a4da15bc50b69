"""The work of workers, from the next item to a stored answer.

`beginnings` lets a newcomer in, where others left a topic. `assignment.next_slots` gives what the worker holds, or claims the
first free slots behind a random point of their topic, then of the next topics. Slots lie scattered within a topic: a worker
stays with it, and rank does not shine through. With the script two are held, the one on the page and the one loaded behind it.
Claiming and settling lock slots by statements that `assignment.execute` runs. `priority` and `studies.additions` lock those that
they change, before the items, as settling does. `overlap` has locked the items and passes over slots that others hold locked.

The answer carries a UUID made for the page and a signed offer that proves who was shown what, when and in which browser.
`answers.record_judgement` stores it and claims what comes next in one transaction. The same UUID again returns the same row, and
another answer to the same item revises. An answer whose lease ran out takes a free slot, or is kept as surplus, which has no
vote. Under another worker's offer a first answer from the same browser is taken, never a revision. An offer holds for thirty days
after the lease.

An item wants as many votes as the study's overlap; `adaptive_overlap` wants more while its grade is uncertain, and of other
studies a researcher may (`studies.wanted_votes`). Whatever else changes that number (an exclusion, its lifting, disagreement)
calls `overlap`. It locks the items, and makes votes and open slots together as many as wanted. A sweep does so for what
somebody held at that moment.

`checks` mixes in items with known grades where work could come, and scores their first answers. `tickets` names items so that
nothing tells them from work. `presence` has an item stay while something that refers to it is stored. `exclusions` sets a
worker's votes aside and takes that back. `machines` gives machine judges slots of their own. What runs for every judgement is
SQL written out (`assignment`, `filled_slots`, `answers`, `checks`, `presence`, and `recruiting.identity`); `frozen_pages` keeps
the page rendered, with holes for what differs.
"""
