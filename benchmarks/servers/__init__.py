"""The servers under measure: each a script with one tool, `add`, from two numbers to their sum.

Each is written as its library's documentation has it, async, typed and with structured output.
Logs below warnings and banners are off, for no server is to be charged for its stderr.
"""
