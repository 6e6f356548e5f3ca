"""What papers are imported from, one format a file."""
