"""What differs between the two eras of the protocol: one module each, and nowhere else."""
