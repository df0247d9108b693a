"""The application around the page."""

import subprocess
import sys

import httpx
import pytest
from tests.support.browser import START_S

TWICE = """
import asyncio, httpx
from redband.tent import create_app
from tests.support.browser import START_S, serving
from tests.support.example_field import ExampleField

async def one(name):
    async with serving(create_app(ExampleField(), name)) as address:
        async with httpx.AsyncClient(timeout=START_S) as client:
            answer = await client.get(address)
        assert answer.status_code == 200
        assert f"<title>{name}</title>" in answer.text, answer.text[:500]

asyncio.run(one("First game"))
asyncio.run(one("Second game"))
"""


def test_a_second_game_in_one_process_shows_its_own_page(pytestconfig):
    done = subprocess.run(
        [sys.executable, "-c", TWICE],
        cwd=pytestconfig.rootpath,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.asyncio(loop_scope="session")
async def test_headers_keep_other_origins_out(address):
    async with httpx.AsyncClient(timeout=START_S) as client:
        page, style = await client.get(address), await client.get(address + "assets/page.css")
    for answer in (page, style):
        assert answer.status_code == 200
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "http://" not in style.text
    assert "https://" not in style.text


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("path", ["nothing", "docs", "openapi.json", "assets/../app.py"])
async def test_there_is_no_other_page(address, path):
    async with httpx.AsyncClient(timeout=START_S) as client:
        assert (await client.get(address + path)).status_code == 404
