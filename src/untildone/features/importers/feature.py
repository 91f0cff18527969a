"""Loop files of other tools: they start and end loops if the user trusts them."""

from untildone.engine.feature import Feature
from untildone.features.importers import active_loops, bound_file, followed_files

FEATURE = Feature(
    before_stop=followed_files.check_loop_files,
    clean_up=bound_file.update_bound_file,
    find_problems=active_loops.report_active_loops,
)
