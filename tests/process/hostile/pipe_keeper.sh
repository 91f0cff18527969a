# Succeeds at once and leaves a child behind that keeps the output open.
sleep 60 &
echo ready
