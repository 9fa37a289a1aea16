"""The answer of SAT solvers: the line and the exit codes that the SAT competitions prescribe."""

SAT_ANSWER = r"^s (SATISFIABLE|UNSATISFIABLE)\s*$"
SAT_EXIT_CODES = ((10, "SATISFIABLE"), (20, "UNSATISFIABLE"))
