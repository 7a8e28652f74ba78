"""What a step costs on a system that is described by a few rates, before anybody runs it there."""
