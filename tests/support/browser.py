"""A page on a free port, and the browser that looks at it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import uvicorn
from fastapi import FastAPI
from playwright.async_api import Locator, Page, ViewportSize

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
START_S = 30.0
LAPTOP: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 390, "height": 844}


@contextlib.asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[str]:
    """Serve `app` in the running loop on a free port; give its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server._serve(sockets=[listener]))  # serve() takes the signals
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        await task
        listener.close()


CONTRASTS = """(selector) => {
    const light = (rgb) => rgb.map((v) => v / 255)
        .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const behind = (e) => {
        for (; e; e = e.parentElement) {
            const color = parse(getComputedStyle(e).backgroundColor);
            if (color.length === 3 || color[3] === 1) return color.slice(0, 3);
        }
    };
    return [...document.querySelectorAll(selector)].map((e) => {
        const pair = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(behind(e))];
        pair.sort((a, b) => b - a);
        return [(pair[0] + 0.05) / (pair[1] + 0.05), e.className || e.tagName];
    });
}"""
"""Gives (contrast, class) of each element selected, as WCAG 2 defines it."""


def card(page: Page, badge_id: int) -> Locator:
    """Return the card of a badge."""
    return page.locator(f'.card[data-badge="{badge_id}"]')
