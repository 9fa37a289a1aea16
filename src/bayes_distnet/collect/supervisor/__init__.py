"""The program that owns the process tree of a solver, one run at a time. Linux only.

`executor.Executor` starts it with a bare interpreter (only the standard library, ready in about 15 ms). It consists of
two processes. The supervisor starts runs, measures them and ends them. The guardian, its parent, waits: if the
supervisor is killed or stopped, the guardian ends the whole tree and deletes its folder. Both are child subreapers: a
process whose parent dies becomes the child of one of them, so no part of a solver's tree can leave, not even a daemon
in a session of its own. Neither of them can be traced, nor can its files be opened, by a solver.

Requests and replies are lines of JSON on a socket, which a solver does not inherit and cannot open. A reply has the
measured values and, if the supervisor ended the run, the reason; the executor derives the status. When the socket
closes, because the owner is gone, the supervisor kills the tree and exits.
"""
