"""Prints the folders of NVIDIA's libraries in this Python's packages, one a line."""

import glob
import os
import sys

for path in sys.path:
    for folder in sorted(glob.glob(os.path.join(path, "nvidia", "*", "lib"))):
        print(folder)
