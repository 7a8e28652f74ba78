"""Record what a run ran on, in the manifest beside its log: facts of nodes, systems and software."""
