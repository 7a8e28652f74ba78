"""Read samples from files and move them to the device."""
