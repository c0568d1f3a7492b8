// The process outside of a sandbox that waits for its end. It outlives whoever started it.
#pragma once

#include "../supervisor.h"

#include <signal.h>

struct keeper {
  const char *lock, *pid, *over;
};

// The keeper ends with these, or with the status of the supervisor.
#define EXIT_SANDBOX_FAILED 125
#define EXIT_LOCKED 75
// The lock keeps this number in the supervisor, too: it is free when both have gone.
#define LOCK_FD 3

// keeper.c: takes the lock, and writes the process id. A sandbox that runs already is left alone.
void keeper_begin(const struct keeper *keeper);
// Closes everything but the standard streams and the lock.
void keeper_close_rest(const struct keeper *keeper);
// Blocks the signals that keeper_wait takes, so that none is lost while the sandbox is made.
void keeper_block_signals(sigset_t *signals);
// Passes TERM on to the supervisor, which means that the host deletes the sandbox. Returns how it ended.
int keeper_wait(pid_t supervisor, const sigset_t *signals);
// Writes how the supervisor ended, and ends like it.
_Noreturn void keeper_report(const struct keeper *keeper, int status);
// Reads --lock, --pid or --over. NULL: it is none of these.
const char **keeper_option(struct keeper *keeper, const char *name);

// plain.c: a sandbox that is not isolated.
// Returns in the supervisor. The calling process stays as its keeper and never returns.
void plain_enter(struct plain *plain, const struct keeper *keeper);

// hold.c: holds a lock for another program, until that has ended. Returns the exit status.
int hold(const char *path);

// failure.c: one line of words about a failure, in the file `over` and on stderr.
// From here on, failures are written to this socket, if it is not -1; otherwise to the file `over`, if it is not NULL.
void failures_go_to(int socket, const char *over);
// Reports the failure with the words of errno, and with a line that the reader can type against it (NULL: none is known). Ends the
// process.
__attribute__((format(printf, 2, 3))) _Noreturn void fail_with_advice(const char *advice, const char *format, ...);
#define fail(...) fail_with_advice(NULL, __VA_ARGS__)
// Reports the line and ends the process with EXIT_SANDBOX_FAILED.
_Noreturn void fail_with_line(const char *line);
void over_write(const char *path, const char *line);
// Writes the file whole or not at all. False, with errno, on failure.
bool write_whole(const char *path, const char *text);
