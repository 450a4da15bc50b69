"""How workers' labels affect the measures of systems: how sure a mean is, and in which order the systems stand."""

from ireval.stability.orders import Orders, orders
from ireval.stability.panel import Panel
from ireval.stability.uncertainty import Uncertainty, uncertainty
from ireval.stability.worker_bootstrap import redrawn

__all__ = ["Orders", "Panel", "Uncertainty", "orders", "redrawn", "uncertainty"]
