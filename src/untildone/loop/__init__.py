"""The pure core: values and functions of values."""
