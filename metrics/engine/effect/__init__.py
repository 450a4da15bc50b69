"""What labels of workers do to the measures of systems: how sure a mean is, and in which order the systems stand."""

from .bootstrap import Uncertainty, uncertainty
from .orders import Orders, orders
from .panel import Panel
from .redrawing import redrawn

__all__ = ["Orders", "Panel", "Uncertainty", "orders", "redrawn", "uncertainty"]
