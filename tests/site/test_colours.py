"""Six colours, each with one meaning: all that the stylesheets draw is in one of them or in a tint of it."""

import colorsys
import re
from pathlib import Path

import pytest

from ireval_site.settings import BASE_DIR

STYLE = BASE_DIR / "ireval_site/static/ireval/ireval.css"
# A frame has a document's own page, and the API's page is of a package: custom properties reach neither.
OF_THEIR_OWN = {"document_frame.css", "api_docs.css"}
LITERAL = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(")
# Cameras need white behind a code, and what covers a page is below no element that has the properties.
EXCEPTIONS = {".qr": "#fff", "dialog::backdrop": "#0008"}
# Degrees of the colour wheel; whatever is more grey than colour is ink.
HUES = {"accent": (195, 220), "ok": (150, 170), "warn": (30, 50), "bad": (10, 25), "mark": (38, 52)}
GREY = 0.25
INK = {"page", "surface", "sunken", "line", "edge", "text", "muted"}
SHADOWS = {"shade", "lift", "float", "stuck"}


def plain(path: Path) -> str:
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)


def schemes() -> list[dict[str, str]]:
    """The custom properties that are colours, in the light and in the dark."""
    blocks = [block for block in re.findall(r":root \{([^}]*)\}", plain(STYLE)) if "--page" in block]
    return [{name: value for name, value in re.findall(r"--([\w-]+):\s*([^;]+);", block) if "#" in value} for block in blocks]


def hue_and_greyness(colour: str) -> tuple[float, float]:
    digits = colour[1:] if len(colour) > 4 else "".join(digit * 2 for digit in colour[1:])
    hue, _, saturation = colorsys.rgb_to_hls(*(int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)))
    return hue * 360, saturation


def test_both_schemes_have_the_same_colours():
    light, dark = schemes()
    assert light.keys() == dark.keys()
    assert len(light) <= 24


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_a_colour_is_of_its_family(scheme):
    for name, value in schemes()[scheme].items():
        family = name.split("-")[0]
        if family in SHADOWS:
            continue
        hue, saturation = hue_and_greyness(value)
        if family in INK or family == "on" or name == "mark-text":
            assert saturation < GREY or value in ("#fff", "#07131c", "#fff3c9"), name
        else:
            low, high = HUES[family]
            assert low <= hue <= high, f"--{name} has {hue:.0f}°"


def test_nothing_else_has_a_colour_of_its_own():
    sheets = [path for app in ("ireval_site", "judging", "metrics") for path in (BASE_DIR / app / "static").rglob("*.css")]
    assert len(sheets) >= 5
    for path in sheets:
        if path.name in OF_THEIR_OWN:
            continue
        for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", plain(path)):
            # In :root they are of a family, by the test above.
            own = re.sub(r"--[\w-]+:[^;]*#[^;]*;", "", body) if selector.strip() == ":root" else body
            strange = [literal for literal in LITERAL.findall(own) if EXCEPTIONS.get(selector.strip()) != literal]
            assert strange == [], f"{path.name}: {selector.strip()}"
