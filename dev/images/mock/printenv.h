#ifndef MOCK_PRINTENV_H
#define MOCK_PRINTENV_H

/* `printenv [-0] [NAME...]`, which Debian's busybox lacks. Returns the exit status: 1 if a name is not set. */
int printenv(int count, char **arguments);

#endif
