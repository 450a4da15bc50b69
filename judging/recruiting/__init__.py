"""How workers arrive: invitations, marketplaces' channels, signed links, who is who."""
