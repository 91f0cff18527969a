"""Every agent that speaks the Agent Client Protocol: JSON-RPC over its stdin and stdout."""
