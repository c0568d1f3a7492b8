/* The process that holds a pod's namespaces. It waits for a signal to stop, and reaps orphans as PID 1. */
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

int main(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    for (;;) {
        int signal;
        if (sigwait(&signals, &signal) != 0) return 1;
        if (signal != SIGCHLD) return 0;
        while (waitpid(-1, NULL, WNOHANG) > 0) continue;
    }
}
