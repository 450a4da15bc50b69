"""Evidence: what is judged, preferred and clicked, from a file or a worker to settled grades and logs."""
