"""Restart policies with one interface: given the attempts that failed, the next cutoff.

`registry` lists them. It must not know where a policy is used: `restart_replay` replays it on recorded runs.
"""
