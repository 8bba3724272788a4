"""Engines that run SQL: one protocol, one module for each engine."""
