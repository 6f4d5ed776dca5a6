"""How the time and memory of a server grow; run it with `python -m benchmarks.growth`."""
