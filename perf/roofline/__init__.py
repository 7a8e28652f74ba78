"""What a workload does in a step beside what a machine can do: operations, memory, messages and input."""
