"""Optional features of a loop, one folder each; `registry` lists them."""
