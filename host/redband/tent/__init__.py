"""The game master's page: `create_app(view)` serves what a `FieldView` shows.

What the page needs of a game is in `redband.tent.view`. Importing this package imports the web
framework, which takes a second: commands that serve no page must not import it.
"""

from redband.tent.app import create_app
from redband.tent.view import ACTIONS, FieldView

__all__ = ["ACTIONS", "FieldView", "create_app"]
