# Fails and leaves two hundred children behind.
for ten in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    for one in 1 2 3 4 5 6 7 8 9 10; do sleep 60 & done
done
exit 1
