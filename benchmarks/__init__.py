"""Benchmarks of servers on stdio, side by side; run them with `python -m benchmarks`."""
