"""What may go wrong, what must come of it, and the tests that show it."""

from typing import NamedTuple


class Fault(NamedTuple):
    """`tests` are names of test functions by their file below `tests/`."""

    id: str
    what: str
    expected: str
    tests: dict[str, tuple[str, ...]]

    @property
    def names(self) -> list[str]:
        """As pytest is told them."""
        return [f"{file}::test_{name}" for file, names in self.tests.items() for name in names]


FAULTS = (
    Fault(
        "A1",
        "the hook killed, or a call of the system failing, at every write, rename and sync",
        "old or new state, never torn; no round counted twice; never done",
        {
            "store/test_crashes.py": (
                "a_writer_killed_at_any_moment_leaves_old_or_new",
                "a_writer_killed_at_each_call_of_the_system_leaves_old_or_new",
                "a_save_that_fails_at_any_call_of_the_system_leaves_old_or_new",
                "a_creation_that_fails_at_any_call_is_a_loop_or_none",
                "a_recovery_that_fails_at_any_call_loses_nothing",
            ),
            "faults/test_whole_stop.py": (
                "a_stop_that_fails_at_any_call_counts_once_or_not_at_all",
                "a_stop_killed_at_any_moment_counts_once_or_not_at_all",
            ),
        },
    ),
    Fault(
        "A2",
        "a full disk",
        "the old state stays; said in one line; exit 0",
        {
            "store/test_crashes.py": (
                "a_full_disk_leaves_the_old_state",
                "a_disk_that_fills_within_an_entry_leaves_the_old_state",
            ),
            "faults/test_whole_stop.py": (
                "a_state_that_cannot_be_written_is_reported_and_never_done",
            ),
        },
    ),
    Fault(
        "A3",
        "a state that is mounted read-only or not writable",
        "refused at the start; later said and never done",
        {
            "store/test_home.py": ("a_read_only_home_is_refused",),
            "faults/test_whole_stop.py": (
                "a_state_that_cannot_be_written_is_reported_and_never_done",
            ),
            "cli/test_verbs.py": ("a_state_that_cannot_be_written_is_reported_to_the_user",),
        },
    ),
    Fault(
        "A4",
        "reads that fail once, or always",
        "tried again a few times, then an error, never an absence",
        {
            "store/test_crashes.py": (
                "a_read_that_fails_once_is_tried_again",
                "a_read_that_keeps_failing_is_an_error_and_no_absence",
            ),
        },
    ),
    Fault(
        "A5",
        "the state cut off at every byte",
        "noticed; recovered from the generation before or the journal; the damaged file is kept",
        {
            "store/test_recovery.py": (
                "a_state_cut_at_any_byte_is_kept_aside_and_nothing_is_lost",
                "a_state_cut_at_any_byte_without_its_journal_is_the_previous_generation",
                "both_generations_cut_are_taken_from_the_journal",
                "nothing_left_to_recover_from_is_named",
            ),
            "hooks/test_state.py": ("a_file_cut_short_never_ends_the_loop",),
        },
    ),
    Fault(
        "A6",
        "a state of a gigabyte, nested too deep, with numbers that are none",
        "refused before it is read, or by its shape",
        {
            "store/test_loops.py": (
                "a_gigabyte_of_state_is_refused_at_once",
                "a_well_sealed_state_of_wrong_content_is_refused",
            ),
        },
    ),
    Fault(
        "A7",
        "a power cut that leaves an empty file under the new name",
        "as a damaged state, not as no loop",
        {
            "store/test_recovery.py": (
                "a_state_cut_at_any_byte_is_kept_aside_and_nothing_is_lost",
            ),
            "store/test_durable_files.py": ("what_is_not_sealed_is_damaged",),
        },
    ),
    Fault(
        "A8",
        "files of the loop or its index removed by the agent",
        "tampered, never no loop",
        {
            "store/test_seal.py": ("tampering_is_found_and_the_loop_is_never_absent",),
            "store/test_heads.py": ("an_unfinished_loop_whose_folder_is_gone_is_never_no_loop",),
            "engine/test_lost_loops.py": (
                "a_stop_of_a_loop_whose_index_is_gone_pauses_it",
                "the_next_event_finds_what_both_places_lost",
                "no_second_loop_is_started_over_it",
                "a_loop_whose_folder_is_gone_is_reported_and_the_user_goes_on",
            ),
        },
    ),
    Fault(
        "B1",
        "a hundred stops of one session at once",
        "one after another, each counted once",
        {
            "hooks/test_state.py": ("a_hundred_stops_at_once_are_each_counted_once",),
            "store/test_crashes.py": ("a_hundred_saves_of_ten_processes_are_each_counted_once",),
        },
    ),
    Fault(
        "B2",
        "another session in the same folder; an empty session id",
        "untouched and not held; an empty id is nobody's",
        {
            "engine/test_stop.py": ("others_are_never_held",),
            "store/test_sessions.py": (
                "what_is_no_session_matches_nothing",
                "an_unknown_session_never_reads_the_folder_beside_it",
            ),
        },
    ),
    Fault(
        "B3",
        "a lock whose holder was killed",
        "free at once: the kernel has it back",
        {
            "store/test_lock.py": (
                "a_held_lock_is_busy_at_the_deadline_and_free_when_its_holder_is_killed",
                "a_lock_file_deleted_while_waiting_lets_nobody_in_twice",
            ),
        },
    ),
    Fault(
        "B4",
        "a file system without locks",
        "refused at the start with the reason",
        {
            "store/test_home.py": (
                "a_home_without_locks_is_refused",
                "a_home_where_two_hold_one_lock_is_refused",
            ),
        },
    ),
    Fault(
        "B5",
        "two worktrees; one repository by two paths",
        "known by where it really is",
        {
            "worktree/test_listing.py": (
                "worktrees_are_the_same_repository_and_clones_are_not",
                "the_root_is_the_top_of_the_worktree",
            ),
            "store/test_trusted_files.py": ("a_file_is_known_by_where_it_really_is",),
        },
    ),
    Fault(
        "B6",
        "the clock jumps by a year; a rest in between",
        "no bound is reached or put off by it",
        {
            "faults/test_whole_stop.py": ("a_jump_of_the_clock_neither_ends_nor_extends_anything",),
            "engine/test_active_time.py": (
                "while_the_agent_rests_no_time_passes",
                "after_a_rest_time_is_counted_from_the_prompt",
            ),
        },
    ),
    Fault(
        "B7",
        "a signal to the hook while a check runs",
        "the whole tree of the check is ended",
        {
            "process/test_runner_ending.py": (
                "a_signal_to_us_ends_the_tree_first",
                "an_exception_ends_the_tree_too",
            ),
        },
    ),
    Fault(
        "B8",
        "checks that need longer than the client lets a hook live",
        "broken off before, and the agent is held",
        {
            "faults/test_whole_stop.py": ("checks_that_outlast_the_deadline_hold_and_say_so",),
        },
    ),
    Fault(
        "C1",
        "a check that hangs",
        "ended at its deadline, red, nothing left",
        {
            "process/test_runner.py": ("a_hostile_program_gets_its_verdict_and_leaves_nothing",),
            "checks/test_bad_input.py": ("a_hostile_check_gets_its_outcome_and_leaves_nothing",),
            "checks/test_parallel_run.py": ("a_check_that_hangs_is_timed_out",),
        },
    ),
    Fault(
        "C2",
        "a daemon that keeps the output open",
        "the exit status decides, without waiting",
        {
            "checks/test_bad_input.py": ("a_hostile_check_gets_its_outcome_and_leaves_nothing",),
            "process/test_runner.py": ("a_leftover_costs_no_more_than_the_draining_time",),
        },
    ),
    Fault(
        "C3",
        "a daemon in a session of its own",
        "found and ended",
        {
            "process/test_runner.py": (
                "a_hostile_program_gets_its_verdict_and_leaves_nothing",
                "an_orphan_without_environment_is_known_by_its_session",
                "a_daemon_that_drops_its_environment_is_known_from_before",
            ),
        },
    ),
    Fault(
        "C4",
        "a flood of output, one endless line",
        "beginning and end kept in fixed memory, and said so",
        {
            "process/test_runner.py": ("memory_stays_fixed",),
            "checks/test_bad_input.py": ("memory_stays_fixed_whatever_is_printed",),
            "process/test_output.py": (
                "of_a_flood_the_log_keeps_beginning_and_end_and_says_so",
                "head_and_tail_are_kept",
            ),
        },
    ),
    Fault(
        "C5",
        "output that is no text, terminal and direction controls",
        "replaced or removed; the answer is valid JSON",
        {
            "checks/test_clean_output.py": ("clean",),
            "process/test_runner.py": ("garbage_is_decoded_with_replacement",),
            "checks/test_bad_input.py": ("a_finding_is_found_in_output_that_is_no_text",),
        },
    ),
    Fault(
        "C6",
        "a check that ignores signals or stops itself",
        "killed, red",
        {
            "process/test_runner.py": (
                "the_deadline_is_kept_even_by_who_ignores_signals",
                "a_hostile_program_gets_its_verdict_and_leaves_nothing",
            ),
        },
    ),
    Fault(
        "C7",
        "ended by a signal; 126, 127, no tests, skipped",
        "none is green, each has its own reason",
        {
            "checks/test_result.py": (
                "how_it_ended",
                "what_the_report_says",
                "a_runner_that_cannot_start_is_unrunnable",
            ),
            "process/test_runner.py": ("a_lost_exit_status_is_never_green",),
        },
    ),
    Fault(
        "C8",
        "a check that reads from the terminal",
        "fails at once instead of waiting",
        {
            "process/test_runner.py": ("our_own_terminal_is_out_of_reach",),
            "checks/test_bad_input.py": ("a_hostile_check_gets_its_outcome_and_leaves_nothing",),
        },
    ),
    Fault(
        "C9",
        "two hundred children in the background",
        "none survives",
        {
            "process/test_runner.py": ("a_hostile_program_gets_its_verdict_and_leaves_nothing",),
        },
    ),
    Fault(
        "C10",
        "green every other time",
        "asked again, and told as unsteady",
        {
            "checks/test_result_cache.py": (
                "a_change_of_mind_on_one_tree_is_asked_again",
                "three_green_runs_in_a_row_are_believed",
            ),
        },
    ),
    Fault(
        "C11",
        "a check that changes what it judges",
        "run again on what it left; never done on a moving tree",
        {
            "checks/test_bad_input.py": ("a_check_that_changes_the_tree_it_judges_is_no_evidence",),
            "checks/test_result_cache.py": ("a_check_that_edits_is_run_on_what_it_left_and_told",),
        },
    ),
    Fault(
        "C12",
        "green at once without a report where there were tests",
        "no evidence",
        {
            "checks/test_result_cache.py": ("an_early_exit_writes_no_report",),
            "checks/test_unittest_reporter.py": ("a_printed_summary_is_no_report",),
            "integrity/test_confirmation.py": (
                "printed_success_proves_nothing_for_unittest_either",
            ),
        },
    ),
    Fault(
        "C13",
        "files edited while a check runs",
        "its result proves nothing",
        {
            "checks/test_result_cache.py": (
                "a_check_that_goes_on_changing_the_tree_proves_nothing",
            ),
        },
    ),
    Fault(
        "C14",
        "a check that starts an agent with the same hook",
        "the inner hook lets go",
        {
            "engine/test_speaker.py": ("only_where_the_client_was_started_counts",),
            "features/edits/test_automatic.py": ("switched_off_by_the_user_or_inside_a_check",),
        },
    ),
    Fault(
        "D1",
        "no payload, no JSON, too much, invalid, late, endless",
        "read within bounds; held once, then said",
        {
            "hooks/test_input.py": (
                "every_event_answers",
                "a_stop_that_cannot_be_read_holds_once_and_then_says_so",
                "a_large_payload_takes_little_memory",
                "an_endless_stream_is_left_at_its_limit",
                "a_pipe_that_never_ends_is_left_in_time",
                "stdin_closed",
            ),
        },
    ),
    Fault(
        "D2",
        "a transcript that is missing, a pipe, a device, cut off",
        "costs the figure of the spend alone",
        {
            "features/budget/test_spend_source.py": (
                "what_is_no_transcript_costs_the_figure_only",
                "a_pipe_is_not_waited_for",
                "of_a_transcript_nobody_knew_only_the_end_is_read",
                "a_line_that_is_still_being_written_is_read_when_it_is_whole",
            ),
            "engine/test_speaker.py": ("what_is_no_transcript_has_no_tail",),
        },
    ),
    Fault(
        "D3",
        "no repository or git; one that is bare, sparse, shallow, unborn, damaged, in a rebase",
        "judged all the same",
        {
            "faults/test_ground.py": (
                "a_stop_is_judged_whatever_git_makes_of_the_project",
                "without_git_a_stop_is_judged",
                "a_project_that_is_gone_is_never_done",
            ),
            "worktree/test_listing.py": (
                "a_change_outside_git_is_seen",
                "a_repository_without_commits_has_a_fingerprint",
            ),
        },
    ),
    Fault(
        "D4",
        "paths with blanks, quotes, newlines, bytes that are no text",
        "come back as they were",
        {
            "store/test_loops.py": ("home_and_project_may_have_any_name",),
            "store/test_home.py": ("a_home_of_any_name_is_made_for_its_owner_only",),
            "store/test_durable_files.py": ("a_name_is_shown_on_one_line_whatever_its_bytes",),
            "report/test_receipt.py": ("a_path_that_is_not_utf8_is_kept",),
            "install/test_claude_lines.py": ("every_line_is_sound_shell",),
        },
    ),
    Fault(
        "D5",
        "fields and events nobody knows",
        "read over",
        {
            "hooks/test_input.py": ("every_event_answers", "too_few_arguments_let_go"),
            "store/test_loops.py": ("fields_of_a_newer_version_are_ignored",),
        },
    ),
    Fault(
        "D6",
        "modules and variables planted for the interpreter",
        "nothing of them is imported",
        {
            "hooks/test_input.py": (
                "nothing_planted_by_a_repository_is_imported",
                "the_planted_file_would_leave_its_mark",
            ),
        },
    ),
    Fault(
        "D7",
        "few descriptors, a closed stdout",
        "exit 0, cleanly",
        {
            "hooks/test_input.py": (
                "few_descriptors_are_enough",
                "an_answer_nobody_takes",
                "a_client_that_went_away",
            ),
        },
    ),
    Fault(
        "E1",
        "a repository that brings a configuration or an active loop",
        "inert until the person trusts that content",
        {
            "cli/test_trust.py": ("what_is_not_trusted_is_not_run", "an_agent_cannot_trust"),
            "features/importers/test_importers.py": ("a_file_is_not_obeyed_without_trust",),
            "features/plans/test_plan_trust.py": ("trust_is_in_the_commands",),
            "store/test_trusted_files.py": ("nothing_is_trusted_before_it_was",),
        },
    ),
    Fault(
        "E2",
        "a trusted configuration that was changed",
        "trust is gone, the difference is shown",
        {
            "cli/test_trust.py": (
                "a_change_revokes_it_and_is_shown",
                "nothing_in_it_can_hide_what_it_says",
            ),
            "cli/test_folders.py": (
                "a_change_of_any_revokes_all_and_is_shown",
                "one_more_file_revokes_them_too",
            ),
        },
    ),
    Fault(
        "E3",
        "the agent edits state or settings, or says the person's words",
        "refused, and noticed at the next stop",
        {
            "hooks/test_guard.py": (
                "the_users_verbs",
                "a_verb_is_seen_through_its_wrapping",
                "shell_commands_that_write_to_the_state_or_the_program",
                "edits_of_the_state_and_the_program",
                "settings_written_against_us",
            ),
            "cli/test_verbs.py": ("the_users_verbs_are_refused_to_the_agent",),
            "store/test_seal.py": ("tampering_is_found_and_the_loop_is_never_absent",),
            "install/test_own_entries.py": ("a_change_that_would_free_the_agent_is_named",),
        },
    ),
    Fault(
        "E4",
        "a state that is a link, a pipe, another user's, or open to others",
        "refused, or closed to others",
        {
            "store/test_durable_files.py": (
                "a_link_a_pipe_and_a_folder_are_not_read",
                "the_file_of_another_user_is_not_read",
            ),
            "store/test_home.py": (
                "a_symlinked_home_is_refused",
                "a_home_open_to_others_is_closed",
                "the_home_of_another_user_is_refused",
            ),
            "store/test_lock.py": ("a_lock_is_never_taken_through_a_link",),
            "store/test_loops.py": (
                "a_linked_folder_is_not_followed",
                "folders_and_files_are_for_their_owner_only",
            ),
        },
    ),
    Fault(
        "E5",
        "tasks with quotes, substitutions, markup",
        "byte for byte the same, never in a shell",
        {
            "engine/test_start.py": ("a_task_survives_byte_for_byte",),
            "cli/test_start.py": ("any_task_is_kept_as_it_is",),
        },
    ),
    Fault(
        "E6",
        "a pattern that never returns",
        "given up in time, red",
        {
            "checks/test_patterns.py": (
                "a_success_pattern_that_never_ends_is_given_up",
                "no_failure_pattern_takes_longer_than_the_limit",
            ),
        },
    ),
    Fault(
        "E7",
        "secrets in output and environment",
        "taken out before anybody sees them; checks run without our keys",
        {
            "checks/test_clean_output.py": (
                "secrets_are_removed",
                "values_of_secret_variables_are_removed_wherever_they_stand",
            ),
            "process/test_runner.py": ("a_check_runs_without_the_keys_of_the_client",),
            "process/test_command.py": ("what_belongs_to_the_client_is_withheld",),
        },
    ),
    Fault(
        "E8",
        "instructions and forged answers in output",
        "fenced, cut, never the hook's answer",
        {
            "core/test_feedback.py": (
                "output_cannot_end_its_fence",
                "what_a_check_reports_cannot_begin_a_line_of_ours",
            ),
            "faults/test_output.py": (
                "what_a_check_says_is_quoted_without_its_secrets_and_forgeries",
            ),
        },
    ),
    Fault(
        "E9",
        "a repository whose git configuration names programs",
        "none of them is run",
        {
            "worktree/test_listing.py": ("programs_named_by_the_repository_are_not_run",),
        },
    ),
    Fault(
        "E10",
        "programs, modules and settings put before the real ones",
        "told as a change of the surroundings",
        {
            "integrity/environment/test_comparison.py": (
                "a_program_that_hides_another_is_reported",
                "settings_in_the_home_folder_are_reported",
                "new_startup_code_of_python_is_reported",
            ),
            "integrity/environment/test_shadowing.py": (
                "a_new_module_that_shadows_a_known_one_is_reported",
            ),
        },
    ),
    Fault(
        "E11",
        "counters set back, older files put in place",
        "tampered: what was recorded only grows",
        {
            "store/test_heads.py": ("a_folder_set_back_as_a_whole_breaks_the_seal",),
            "store/test_seal.py": (
                "a_state_that_was_set_back_counts_from_the_journal",
                "tampering_is_found_and_the_loop_is_never_absent",
            ),
            "core/test_transitions.py": ("spend_never_goes_down_and_unknown_keeps_what_was_known",),
        },
    ),
    Fault(
        "E12",
        "a hook that cannot start",
        "said by `doctor`, `drill` and `status`",
        {
            "cli/test_doctor.py": (
                "an_interpreter_that_is_gone",
                "a_package_that_is_gone",
                "a_package_that_was_changed",
            ),
            "cli/test_drill.py": (
                "it_fails_where_the_interpreter_is_gone",
                "it_fails_where_the_hook_says_nothing",
            ),
            "cli/test_status.py": ("a_loop_that_nobody_holds_says_so",),
        },
    ),
    Fault(
        "F1",
        "a task that cannot be done",
        "ends at its bound, never as done",
        {
            "core/test_transitions.py": ("n_rounds_are_n_minus_one_holds",),
            "core/test_no_text_is_done.py": ("a_red_check",),
        },
    ),
    Fault(
        "F2",
        "two states that alternate",
        "stagnated",
        {
            "core/test_transitions.py": ("stagnation", "stagnation_says_why"),
        },
    ),
    Fault(
        "F3",
        "cosmetic edits in every turn",
        "stagnated: failures count, not edits",
        {
            "core/test_transitions.py": ("moved", "stagnation"),
        },
    ),
    Fault(
        "F4",
        "the person says stop",
        "at once, whatever runs",
        {
            "engine/test_prompt.py": ("the_user_cancels_without_the_model",),
            "cli/test_verbs.py": ("a_paused_and_a_cancelled_loop_hold_nobody",),
            "engine/test_stop.py": ("a_loop_that_the_user_ended_is_not_judged",),
        },
    ),
    Fault(
        "F5",
        "green from the beginning",
        "proves nothing: the agent's word is needed too, and it is said",
        {
            "engine/test_stop.py": ("green_all_along_also_needs_the_agents_word",),
            "cli/test_start.py": ("green_already_needs_the_agents_word_too",),
        },
    ),
    Fault(
        "F6",
        "a criterion of words alone",
        "claimed, never done",
        {
            "engine/test_stop.py": ("words_alone_are_claimed",),
            "core/test_decide.py": ("words_alone_are_never_done",),
        },
    ),
)
