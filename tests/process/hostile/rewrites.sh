# Succeeds, but changes the tree that it judges.
echo 'written by the check' >> judged.txt
