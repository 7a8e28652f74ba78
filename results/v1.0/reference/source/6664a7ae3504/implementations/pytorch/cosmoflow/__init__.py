"""CosmoFlow: a 3D convolutional network that estimates cosmological parameters."""
