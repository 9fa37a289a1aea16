"""A local web page and a JSON API about models: predictions, advice, features of dropped files, a data set to browse.

Takes folders of models and a data set; gives a server on this machine. Answers are those of `models`, `decide`,
`features` and `data`, with the field names of the command line. It must not compute anything that a Python user could
not call, and must not read a file that a request names.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
