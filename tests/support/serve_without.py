"""`masthead`, without the guard that the variable WITHOUT names: in the supervisor and its workers.

A worker imports this module anew before it begins.
"""

import os

from masthead.cli import main
from tests.support.guards import GUARDS

for owner, name, instead in GUARDS[os.environ["WITHOUT"]]:
    setattr(owner, name, instead)

if __name__ == "__main__":
    main()
