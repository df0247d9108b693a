"""The web application: the game master's page on FastAPI, for uvicorn in any running loop.

Guarantee: everything a browser loads comes from this process. The Content-Security-Policy makes
the browser enforce that, since a tent has no internet and a page must not wait for one.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import nicegui
from fastapi import FastAPI, Request
from fastapi.staticfiles import StaticFiles
from nicegui import ui
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from redband.tent.board import POLL_S, Board, shared_snapshot
from redband.tent.led_css import patterns_css
from redband.tent.view import FieldView
from redband.tent.words import choose_language

STATIC = Path(__file__).parent / "static"

FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">'
    '<rect width="32" height="32" rx="7" fill="#10151b"/>'
    '<rect x="3" y="11" width="26" height="10" rx="3" fill="#ff4438"/></svg>'
)

# NiceGUI builds its page with inline modules and evaluates what the server sends, so both are
# allowed; another origin is not, for anything.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
)


class LocalOnly:
    """Middleware that forbids the browser to load from, or be framed by, any other origin."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request with the headers added to its answer."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = POLICY
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "no-referrer"
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _stylesheet_link() -> str:
    # The digest makes a browser that cached an older page's style fetch the new one.
    digest = hashlib.sha256((STATIC / "page.css").read_bytes()).hexdigest()[:12]
    return f'<link rel="stylesheet" href="/assets/page.css?{digest}">'


def _prepare_nicegui() -> None:
    # NiceGUI keeps one application per process and lets nobody add middleware to it once it has
    # served. A second page in one process (the demo, played twice by a test) starts it anew.
    nicegui.app.middleware_stack = None
    nicegui.app.user_middleware.clear()


def create_app(view: FieldView, game_name: str = "Redband") -> FastAPI:
    """Return the application that serves `view` at "/".

    game_name: heading of the page. One process serves one such application at a time. Run it by
    `uvicorn.Server`; the view is called in that server's loop.
    """
    app = FastAPI(title="Redband", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(LocalOnly)
    app.mount("/assets", StaticFiles(directory=STATIC), name="assets")
    head = _stylesheet_link() + f"<style>{patterns_css()}</style>"
    snapshot = shared_snapshot(view)
    _prepare_nicegui()

    @ui.page("/", title=game_name)
    def field_page(request: Request) -> None:
        language = choose_language(
            request.query_params.get("lang"),
            request.cookies.get("redband_lang"),
            request.headers.get("accept-language", ""),
        )
        ui.add_head_html(head)
        board = Board(view, snapshot, language, game_name)
        ui.context.client.on_connect(board.start_over)
        ui.timer(POLL_S, board.refresh)

    ui.run_with(
        app,
        title="Redband",
        favicon=FAVICON,
        dark=True,
        tailwind=False,
        binding_refresh_interval=None,
        show_welcome_message=False,
    )
    return app
