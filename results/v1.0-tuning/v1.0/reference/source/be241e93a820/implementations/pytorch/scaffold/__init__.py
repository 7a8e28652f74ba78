"""ScaFFold: a 3D U-Net that segments fractals."""
