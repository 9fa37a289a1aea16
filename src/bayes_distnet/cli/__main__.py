"""`python -m bayes_distnet.cli`."""

import sys

from bayes_distnet_start import main

sys.exit(main())
