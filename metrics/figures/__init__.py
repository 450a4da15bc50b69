"""Figures for plotly, made of results; they know no models and no request."""
