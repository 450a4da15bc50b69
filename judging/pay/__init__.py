"""What workers earn, and how it is paid."""
