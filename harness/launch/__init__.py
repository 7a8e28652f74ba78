"""Jobs on a cluster: scripts for each launcher from one template, and container files."""
