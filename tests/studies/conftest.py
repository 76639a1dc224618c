"""The studies are scripts as well: their folder is on the path."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
