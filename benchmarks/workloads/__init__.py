"""The workloads whose instructions are counted: functions that repeat an operation so many times.

Each makes what it needs, checks that the operation gives what it should, and then does nothing but
repeat it. `python -m benchmarks.instructions` counts them, in processes of `__main__.py`.
"""
