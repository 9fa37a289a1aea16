"""`python -m bayes_distnet.cli`."""

import sys

from bayes_distnet.cli.main import main

sys.exit(main())
