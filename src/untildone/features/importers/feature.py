"""Loop files of other tools: they begin and end loops where the user trusts them."""

from untildone.engine.feature import Feature
from untildone.features.importers import bound_file, follow

FEATURE = Feature(before_stop=follow.check_loop_files, clean_up=bound_file.update_bound_file)
