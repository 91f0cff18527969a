"""`python -m untildone`."""

from untildone.cli.main import main

raise SystemExit(main())
