"""The answer of SAT solvers: the line that the SAT competitions prescribe."""

SAT_ANSWER = r"^s (SATISFIABLE|UNSATISFIABLE)\s*$"
