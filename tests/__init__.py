"""Spark's Python workers run the Python of the tests: another one may lack pyarrow, with which functions are sent."""

import os
import sys

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
