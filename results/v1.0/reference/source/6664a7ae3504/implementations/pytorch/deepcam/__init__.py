"""DeepCAM in PyTorch: the model, the loss, the optimizers and the task that the reference runs."""
