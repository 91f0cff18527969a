"""The live page: all loops and plan runs of this machine, and the user's verbs. Extra `dashboard`."""
