"""Why a subscriber got an issue or did not: the facts, the rules and the answers."""
