"""`make queue-faults`: what may go wrong with the queue, what must come of it, and its tests.

Wherever workers are involved, `require_once` of `runs/queue/world.py` says what "ends once" is.
"""

import sys

from faults.__main__ import main
from faults.table import Fault

_WORKERS = "runs/queue/test_worker_faults.py"
_DATABASE = "runs/queue/test_database_faults.py"
_MERGES = "runs/queue/test_merges.py"
_QUEUE = "runs/queue/test_task_queue.py"
QUEUE_FAULTS = (
    Fault(
        "Q1",
        "kill -9 of a worker before each record of a step",
        "another one ends and merges it once; no recorded step again; at most one call more",
        {
            _WORKERS: (
                "a_worker_killed_at_any_record_loses_and_repeats_nothing",
                "workers_on_postgres_take_over_from_each_other",
            ),
            _MERGES: ("a_worker_killed_while_it_pushes_the_merge_merges_once",),
        },
    ),
    Fault(
        "Q2",
        "kill -9 of workers at random moments, SQLite and Postgres",
        "every task ends and is merged once; at most one call more for each kill",
        {_WORKERS: ("workers_killed_at_random_moments_lose_and_repeat_nothing",)},
    ),
    Fault(
        "Q3",
        "kill -9 while the tables are made",
        "no table is left half made; the next process makes them",
        {_WORKERS: ("a_process_killed_while_it_makes_the_tables_leaves_none",)},
    ),
    Fault(
        "Q4",
        "kill -9 of Postgres and of all its processes, back within the lease",
        "said; both workers go on, without a call more",
        {_DATABASE: ("workers_go_on_when_postgres_was_killed",)},
    ),
    Fault(
        "Q5",
        "the cable between worker and database cut, or Postgres silent, for longer than the lease",
        "said; agents ended with the lease, exit 75; another worker ends the task once",
        {_DATABASE: ("a_worker_without_its_database_ends_its_agent_with_its_lease",)},
    ),
    Fault(
        "Q6",
        "the cable cut for less than the lease",
        "the worker goes on, without a call more",
        {_DATABASE: ("a_cut_that_is_shorter_than_the_lease_costs_nothing",)},
    ),
    Fault(
        "Q7",
        "a worker stopped for longer than its lease (SIGSTOP)",
        "it records and pushes nothing more, exit 75",
        {
            _WORKERS: ("a_paused_worker_cannot_finish_twice",),
            _QUEUE: ("a_silent_worker_loses_its_task_and_cannot_record_any_more",),
            _MERGES: ("a_worker_paused_while_it_pushes_the_merge_cannot_record_it",),
        },
    ),
    Fault(
        "Q8",
        "a worker that could not look for some time, then sees others without news",
        "it declares nobody dead that it has not watched",
        {_QUEUE: ("nobody_judges_others_after_not_looking",)},
    ),
    Fault(
        "Q9",
        "the clock of a machine set by hours, forward and back",
        "nobody loses a task, without a call more",
        {_WORKERS: ("a_clock_that_is_set_changes_nothing",)},
    ),
    Fault(
        "Q10",
        "a full disk below the SQLite file",
        "said with the remedy, exit 74; nothing lost, another worker ends the task once",
        {_DATABASE: ("a_full_disk_of_the_queue_ends_the_worker_with_the_remedy",)},
    ),
    Fault(
        "Q11",
        "a full disk below the worker's state and cache",
        "said with the remedy, exit 74; its tasks are free at once, none ends because of it",
        {_DATABASE: ("a_full_disk_of_the_worker_leaves_its_tasks_to_others",)},
    ),
    Fault(
        "Q12",
        "a read-only SQLite file, a read-only folder",
        "refused with the file and the reason; nothing lost",
        {_DATABASE: ("a_read_only_queue_is_named_and_loses_nothing",)},
    ),
    Fault(
        "Q13",
        "a power cut while SQLite writes",
        "all that was committed is there, the rest as if never begun",
        {
            _DATABASE: (
                "a_power_cut_loses_nothing_that_was_committed",
                "every_commit_to_a_file_is_synced",
            )
        },
    ),
    Fault(
        "Q14",
        "two processes at once on a fresh file; a task taken or cancelled while it is taken",
        "one makes the tables; the task has one worker, or none",
        {
            _WORKERS: ("two_processes_may_be_first_on_a_fresh_file",),
            _QUEUE: ("a_task_that_changes_while_it_is_taken_is_left_alone",),
        },
    ),
)

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:], QUEUE_FAULTS))
