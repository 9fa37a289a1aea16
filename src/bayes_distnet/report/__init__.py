"""Tables, figures and the HTML report.

Takes a folder of results, or predictions; gives Markdown, LaTeX, figures and one self-contained page. Labels, order and
roles come from the registries of models, scores, families and experiments. It must not fit models or run jobs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
