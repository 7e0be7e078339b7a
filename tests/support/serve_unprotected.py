"""Run `masthead` without the protection that the variable WITHOUT names.

Each worker imports this module too, so its protection is switched off as well.
"""

import os

from masthead.cli import main
from tests.support.protections import PROTECTIONS

for owner, name, replacement in PROTECTIONS[os.environ["WITHOUT"]]:
    setattr(owner, name, replacement)

if __name__ == "__main__":
    main()
