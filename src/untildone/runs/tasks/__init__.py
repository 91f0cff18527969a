"""What plan runs and the queue share: a task's steps, its worktree, its way into a branch."""
