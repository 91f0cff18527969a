"""While the agent edits: what its changes brought, told or held without a loop."""
