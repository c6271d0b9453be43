"""Jobs, and the sign of life of those who do them."""

from jobs.models.heartbeats import Heartbeat
from jobs.models.jobs import LIVE, Job, JobState

__all__ = ["LIVE", "Heartbeat", "Job", "JobState"]
