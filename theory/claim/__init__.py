"""Claims of users and of papers: read, decided, and checked against the definitions of the law."""
