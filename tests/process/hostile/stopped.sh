# Stops itself: it neither runs nor ends.
echo stopping
kill -STOP $$
