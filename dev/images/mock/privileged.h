#ifndef MOCK_PRIVILEGED_H
#define MOCK_PRIVILEGED_H

#include <stdbool.h>

/* Whether root in this container is root outside: some line of the user namespace's map maps id 0 to id 0. */
bool is_privileged(void);

#endif
