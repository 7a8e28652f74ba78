"""ScaFFold as published: the same 3D U-Net with three input channels, which segments coloured fractals."""
