"""What tests of the page share beside the fixtures."""

from playwright.async_api import Locator, Page

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
