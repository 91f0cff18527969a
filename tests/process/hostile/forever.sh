# Says that it is there and never ends.
echo waiting
while :; do sleep 60; done
