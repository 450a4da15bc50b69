"""The logs of sites as reports read them: `reading` brings records into frames, `bots` leaves out programs."""
