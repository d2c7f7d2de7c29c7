"""How fast it is: each file is a script, and `make_traces` makes what they read."""
