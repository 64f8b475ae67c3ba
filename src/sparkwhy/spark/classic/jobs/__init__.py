"""Jobs: cancellation, time limits, and what Spark says when one fails."""
