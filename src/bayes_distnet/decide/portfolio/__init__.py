"""Several solvers: what is learnt about them and what links them, and the choice of one."""
