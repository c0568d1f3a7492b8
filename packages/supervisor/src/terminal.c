#include "supervisor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_open(unsigned short columns, unsigned short rows, int *master, int *slave) {
  *slave = -1;
  *master = posix_openpt(O_RDWR | O_NOCTTY);
  if (*master < 0) return false;
  fcntl(*master, F_SETFD, FD_CLOEXEC);
  fcntl(*master, F_SETFL, fcntl(*master, F_GETFL) | O_NONBLOCK);
  *slave = terminal_slave(*master);
  if (*slave < 0) {
    close_fd(master);
    return false;
  }
  terminal_resize(*master, columns, rows);
  return true;
}

void terminal_resize(int master, unsigned short columns, unsigned short rows) {
  struct winsize size = {.ws_col = columns, .ws_row = rows};
  ioctl(master, TIOCSWINSZ, &size);
}
