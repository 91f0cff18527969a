# Waits for input until there is no more of it.
while read -r line; do echo "heard $line"; done
exit 1
