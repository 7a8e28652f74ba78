"""What ran a run: facts of nodes, systems and software, each with its origin, in the manifest beside its log."""
