"""Make the bill of materials and hold it to CycloneDX's own schema: `make check`, and a release before it is given away."""

import json
import subprocess
import sys
from importlib.resources import files

import jsonschema_rs

SCHEMAS = files("cyclonedx.schema") / "_res"


def retrieve(address: str) -> dict:
    """The schemas that CycloneDX's refers to, as its package has them: nothing is fetched."""
    return json.loads((SCHEMAS / address.rpartition("/")[2]).read_text(encoding="utf-8"))


def problems(bill: dict) -> list[str]:
    schema = retrieve(f"bom-{bill['specVersion']}.SNAPSHOT.schema.json")
    validator = jsonschema_rs.validator_for(schema, retriever=retrieve, validate_formats=True)
    return [f"{'/'.join(map(str, error.instance_path))}: {error.message}"[:300] for error in validator.iter_errors(bill)]


if __name__ == "__main__":
    made = subprocess.run([sys.executable, ".ci/sbom.py", "0"], capture_output=True, check=True)
    bill = json.loads(made.stdout)
    for problem in (found := problems(bill)):
        print(problem, file=sys.stderr)
    print(f"The bill of materials names {len(bill['components'])} packages.")
    sys.exit(bool(found) or not bill["components"])
