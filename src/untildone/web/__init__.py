"""The live page of all loops and plan runs of this machine. Needs the extra `dashboard`."""
