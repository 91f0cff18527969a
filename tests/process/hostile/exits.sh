# Ends with the status it is told.
exit "$STATUS"
