# Succeeds only if somebody answers at a terminal.
read -r answer < /dev/tty || exit 1
