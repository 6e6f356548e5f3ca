"""`functools[{"name": N, "arguments": {…}}]`: Phi-4-mini, FireFunction 2."""

from dure.dialects.formats.tagged import tagged_json

FORMAT = tagged_json("phi", ("\nfunctools", "\n functools"), ())
