"""How SAT solvers answer: the line of the SAT competitions."""

SAT_ANSWER = r"^s (SATISFIABLE|UNSATISFIABLE)\s*$"
