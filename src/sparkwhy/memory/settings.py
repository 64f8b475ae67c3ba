"""What the meaning of a plan depends on besides the plan and its data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from sparkwhy.plan.zones import zone_of


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a Spark session that change results: `timezone` is `spark.sql.session.timeZone`."""

    timezone: str = "UTC"

    @property
    def zone(self) -> tzinfo:
        return zone_of(self.timezone)
