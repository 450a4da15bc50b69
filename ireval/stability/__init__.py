"""How workers' labels affect the measures of systems: how sure a mean is, and in which order the systems stand."""

from ireval.stability.orders import Orders, orders
from ireval.stability.panel import Panel
from ireval.stability.redraws import redrawn
from ireval.stability.uncertainty import Uncertainty, uncertainty

__all__ = ["Orders", "Panel", "Uncertainty", "orders", "redrawn", "uncertainty"]
