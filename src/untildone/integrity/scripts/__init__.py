"""What a check's command leads to, and what of it was taken away."""
