"""Loop files of other tools: they start and end loops if the user trusts them."""

from untildone.engine.feature import Feature
from untildone.features.importers import active_loops, automatic_imports, followed_file

FEATURE = Feature(
    before_stop=automatic_imports.check_loop_files,
    clean_up=followed_file.update_or_remove_followed_file,
    find_problems=active_loops.report_active_loops,
)
