from .app import create_app as create_app
from .limits import Limits as Limits
from .run import serve as serve
from .shelf import Shelf as Shelf
