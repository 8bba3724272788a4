"""Benchmarks: ratios side by side, measured on the machine at hand."""
