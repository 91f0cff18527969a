# Prints what looks like credentials.
echo 'AWS_SECRET_ACCESS_KEY=abcdEFGH0123abcdEFGH0123abcdEFGH0123NONE'
echo 'Authorization: Bearer ghp_NoRealTokenNoRealTokenNoRealToken012'
echo 'connect to postgresql://reader:letmein@database.example/app'
exit 1
