#include "supervisor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_open(unsigned short columns, unsigned short rows, int *master, int *slave) {
  *slave = -1;
  *master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (*master < 0) return false;
  int unlock = 0;
  if (ioctl(*master, TIOCSPTLCK, &unlock) == 0) {
    *slave = ioctl(*master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC); // needs no /dev/pts
  }
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
