"""Makes the demo's excerpt of CWE from the package `cwe2`, which has the whole: `python -m tests.judging.demo.excerpt`."""

import gzip
import xml.etree.ElementTree as ET
from importlib.resources import files

from judging.demo import cwe

WHOLE = files("cwe2") / "database_v49"
KEPT = {
    "Weakness": ("Description", "Extended_Description", "Observed_Examples"),
    "Category": ("Summary", "Relationships"),
    "View": ("Members",),
}


def excerpt() -> bytes:
    """What the demo reads of the catalogue: the same elements in the same order, without all others."""
    whole = ET.fromstring((WHOLE / "cwec_v4.14.xml").read_bytes())
    part = ET.Element("Weakness_Catalog", {name: whole.attrib[name] for name in ("Version", "Date")})
    for element in whole.iter():
        kind = local_name(element)
        if kind in KEPT:
            kept = ET.SubElement(part, kind, {name: element.attrib[name] for name in ("ID", "Name", "Status")})
            kept.extend(without_namespaces(child) for child in element if local_name(child) in KEPT[kind])
            kept.tail = "\n"
    return ET.tostring(part, encoding="utf-8")


def local_name(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def without_namespaces(element: ET.Element) -> ET.Element:
    for inner in element.iter():
        inner.tag = local_name(inner)
    return element


if __name__ == "__main__":
    (cwe.FOLDER / cwe.CATALOGUE).write_bytes(gzip.compress(excerpt(), 9, mtime=0))
    for name in (cwe.NOTICE, cwe.LICENCE):
        (cwe.FOLDER / name).write_bytes((WHOLE / name).read_bytes())
