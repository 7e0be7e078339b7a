"""Print the packages of this Python environment as CycloneDX, in JSON.

python tools/sbom.py > sbom.cdx.json
"""

import json
import re
import sys
from importlib.metadata import Distribution, distributions
from platform import python_version
from typing import Any


def component(package: Distribution) -> dict[str, Any]:
    """A package as a component: its name, version, license and address."""
    name = re.sub("[-_.]+", "-", package.metadata["Name"]).lower()
    address = f"pkg:pypi/{name}@{package.version}"
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": package.version,
        "purl": address,
    }
    if license := license_of(package):
        found["licenses"] = [license]
    return found


def license_of(package: Distribution) -> dict[str, Any] | None:
    """The license of a package: an SPDX expression if it gives one, otherwise its name."""
    fields = package.metadata.json
    if expression := fields.get("license_expression"):
        return {"expression": expression}
    classifiers = fields.get("classifier", [])
    named = (each.split(" :: ") for each in classifiers if each.startswith("License :: "))
    names = [words[-1] for words in named if len(words) > 2]
    name = names[0] if names else str(fields.get("license", "")).partition("\n")[0]
    return {"license": {"name": name}} if name else None


def bill_of_materials() -> dict[str, Any]:
    """The software bill of materials; the same packages always give the same one."""
    found = sorted(map(component, distributions()), key=lambda each: str(each["name"]))
    python = {"type": "platform", "name": "python", "version": python_version()}
    (program,) = (each for each in found if each["name"] == "masthead")
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": program | {"type": "application"}},
        "components": [python, *(each for each in found if each is not program)],
    }


if __name__ == "__main__":
    json.dump(bill_of_materials(), sys.stdout, indent=1, ensure_ascii=False)
