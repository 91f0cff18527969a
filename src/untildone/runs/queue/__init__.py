"""A durable queue of tasks for workers on one or many machines; nothing else imports it."""
