// PID 1 of a step's container. The rules are in SPEC.md; each file is one part.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#define PROTOCOL_VERSION "1"

// buffer.c: a queue of bytes.
struct buffer {
  unsigned char *data;
  size_t start, end, capacity;
};

static inline size_t buffer_length(const struct buffer *b) { return b->end - b->start; }
static inline unsigned char *buffer_bytes(const struct buffer *b) { return b->data + b->start; }
void buffer_append(struct buffer *b, const void *bytes, size_t count);
void buffer_consume(struct buffer *b, size_t count);
void buffer_free(struct buffer *b);
// Reads or writes once, without blocking. False when the descriptor is of no more use: the peer has gone, or an error.
bool buffer_fill_from(struct buffer *b, int fd);
bool buffer_drain_to(struct buffer *b, int fd);

// commands.c: what the program does other than to supervise. Returns 0 when all is done, with the exit status; else the
// index of the first argument of the supervisor, which then runs in the sandbox that was asked for.
struct supervisor;
int command_run(struct supervisor *s, int argc, char **argv, int *status);
int usage(void);

// linux/ and darwin/: the system's own ways. Each has the same functions; some are declared with their parts, below.
// Commands that only this system has, as command_run, and their lines of the usage.
int system_command(int argc, char **argv, int *status);
extern const char *const system_usage;
// Descriptors that exec closes. The socket does not block.
bool pipe_open(int ends[2]);
int socket_open(void);
void descriptors_close_from(int first);
void descriptors_hide_from(int first); // from processes that are started
struct pollfd;
int descriptors_wait(struct pollfd *fds, size_t count, int timeout_ms);
// A descriptor to read when a child has ended, or somebody asks the supervisor to leave; then `signals_take` says which.
int signals_open(void);
bool signals_take(int fd); // true: to leave
// Orphans of this process's descendants become its children, where the system can do that.
void adopt_orphans(void);
// Closes this memory to other processes, as far as the system can.
void memory_close(void);
bool random_fill(void *bytes, size_t count);
void forget_bytes(void *bytes, size_t count);
int64_t peak_memory_of(const struct rusage *usage);
// Why the process can't become another user.
const char *why_no_user(int error);

// memory.c: these abort when memory is out. A step that cannot get a few kilobytes cannot be saved.
void *must_alloc(size_t size);
void *must_grow(void *old, size_t size);
char *must_copy(const char *text);
__attribute__((format(printf, 1, 2))) char *must_print(const char *format, ...);

// A list of strings, ended by NULL, as execve wants it.
struct strings {
  char **items;
  size_t count;
};

void strings_add(struct strings *s, const char *text);
void strings_free(struct strings *s);

// frame.c: a type byte, a 4-byte big-endian length, that many bytes. The numbers are those of FRAME in baggageclaim's
// supervisor-frames.ts.
enum frame_type {
  FRAME_RUN = 1,
  FRAME_HIJACK = 2,
  FRAME_SIGNAL = 3,
  FRAME_STDIN = 4,
  FRAME_CLOSE_STDIN = 5,
  FRAME_RESIZE = 6,
  FRAME_FORGET = 7,
  FRAME_HELLO = 16,
  FRAME_STDOUT = 17,
  FRAME_STDERR = 18,
  FRAME_EXIT = 19,
  FRAME_GROWN = 20,
};

struct frame {
  enum frame_type type;
  const unsigned char *payload;
  size_t length;
};

enum frame_result { FRAME_NONE, FRAME_COMPLETE, FRAME_BROKEN };
// The first complete frame of the buffer, which holds it until frame_done. BROKEN: the peer does not send frames.
enum frame_result frame_next(const struct buffer *b, struct frame *frame);
void frame_done(struct buffer *b, const struct frame *frame);
void frame_append(struct buffer *b, enum frame_type type, const void *payload, size_t length);
void frame_append_text(struct buffer *b, enum frame_type type, const char *text);

// Reads the NUL-terminated fields of a payload, one after another. `ok` turns false when they do not fit.
struct reader {
  const unsigned char *at, *end;
  bool ok;
};

struct reader reader_of(const struct frame *frame);
const char *read_string(struct reader *r);
uint64_t read_number(struct reader *r);
struct strings read_list(struct reader *r);

// A request to start a process. Its holder owns it and frees it.
struct request {
  char *id, *attempt, *path, *dir, *user;
  struct strings args, env;
  // Directories to give to the user (SUP7).
  struct strings own;
  bool tty;
  unsigned short columns, rows;
  struct buffer input;
  const struct plain *plain; // NULL: the sandbox is isolated
};

bool request_read(struct reader *r, struct request *request);
void request_free(struct request *request);
bool is_safe_id(const char *id);

// users.c
struct account {
  uid_t uid;
  gid_t gid;
  char *name; // from /etc/passwd; NULL when the account has no entry
  char *home;
  gid_t *groups;
  size_t group_count;
};

// Looks `name`, `uid`, or `user:group` up in the image. Returns NULL on success, else the reason.
char *account_find(const char *spec, struct account *account);

// environment.c
char **environment_of(char **inherited, const struct strings *asked, const char *user, const struct account *account);
const char *environment_get(char *const *environment, const char *name);

// own-tree.c: changes the owner of a directory and of everything in it. Returns 0 or an errno.
int own_tree(const char *path, uid_t uid, gid_t gid);

// child.c: the child between fork and exec. Never returns; writes a failure to `status`: cause, NUL, message.
struct child_files {
  int in, out, err, status;
};
_Noreturn void child_main(const struct request *request, struct child_files files);

// keeper/plain.c: a sandbox without isolation.
struct plain {
  const char *build; // the directory that is /tmp/build for everybody outside
  int keeper;        // is at its end when the keeper has gone
  pid_t *leaders;    // of the processes that run, in memory that the keeper shares; 0: nobody
};
void leaders_add(const struct plain *plain, pid_t pid);
void leaders_remove(const struct plain *plain, pid_t pid);
// The directory that a path of a request means. The caller frees it.
char *plain_path(const struct plain *plain, const char *path);
// As account_find. There is one user, whose processes the supervisor's are.
char *plain_account(const char *user, struct account *account);

// minder.c: on Linux a process of the supervisor between itself and each process that it starts. Whatever the process leaves
// behind when it ends belongs to its minder, also after setsid, and to the supervisor when the minder has ended. macOS has no
// such thing: the process is its own minder there.
struct minder_report {
  pid_t pid;
  int error; // errno of a fork that failed
  enum { MINDER_NONE, MINDER_EXITED, MINDER_SIGNALED } end;
  int value; // status or signal
  struct rusage usage;
};
struct process;
// Starts a minder and its process. False, with errno, on failure.
bool minder_start(const struct request *request, struct child_files files, struct process *p);
// The process has ended. It stays a zombie until `minder_reap`, so that its id means no other process.
void minder_end(struct process *p);
// Reaps the process. Its report is complete then.
void minder_reap(struct process *p);
void minder_forget(struct minder_report *report);

// strays.c: kills the processes that have no minder any more, and all of their children. macOS does not know them.
void strays_kill(const struct supervisor *s);

// session.c: signals the process group and the session of a leader that has ended and is not reaped yet.
void session_signal(pid_t leader, int signal);

// terminal.c
// The other end of a terminal, from the system's folder. -1, with errno, on failure.
int terminal_slave(int master);
bool terminal_open(unsigned short columns, unsigned short rows, int *master, int *slave);
void terminal_resize(int master, unsigned short columns, unsigned short rows);

// sha256.c
#define SHA256_SIZE 32
// The key is at most one block, 64 bytes.
void hmac_sha256(const char *key, const char *text, unsigned char digest[SHA256_SIZE]);

// secret.c: the proof that a connection or a record is this supervisor's. It is in this memory and in a file of
// baggageclaim's own container; a root process of the step can read neither.
#define SECRET_SIZE 65 // 32 bytes as hexadecimal digits, and NUL
// Makes the secret, and closes this memory to other processes of the container.
void secret_make(char secret[SECRET_SIZE]);
// The record and, in a second line, its seal. The caller frees it.
char *secret_seal(const char *secret, const char *json);

// out-of-memory.c
// How often the kernel has killed a process of this container because memory was short.
int64_t memory_kills(void);
// How many bytes the container may use. 0: as many as there are.
int64_t memory_limit(void);

// record.c
void append_json_string(struct buffer *json, const char *text);
struct ending {
  enum { END_EXITED, END_SIGNALED, END_INTERRUPTED, END_NOT_STARTED } kind;
  int value;           // EXITED: status; SIGNALED: signal
  const char *cause;   // NOT_STARTED
  const char *message; // INTERRUPTED, NOT_STARTED
  double wall_seconds;
  struct rusage usage;
  bool out_of_memory;   // the kernel killed a process of the container while this one ran
  int64_t memory_limit; // with it: the container's limit, 0 if it has none
};
// The record as JSON. The caller frees it.
char *record_json(const char *id, const char *attempt, const struct ending *ending);
// Writes the file whole or not at all. False, with errno, on failure.
bool record_write(const char *directory, const char *id, const char *sealed);

// log.c: the output that `kubectl logs` shows. It never holds a process back: bytes that nobody reads in time are
// dropped and counted.
struct log {
  struct buffer pending;
  uint64_t left_out;
};
void log_write(struct log *log, const void *bytes, size_t count);
void log_flush(struct log *log);
static inline bool log_waits(const struct log *log) { return buffer_length(&log->pending) > 0; }

// process.c: one process, from its request to its record.
//   STARTING  forked. End of file on `status` moves it to RUNNING; a message there is the reason why it failed.
//   RUNNING   exec has happened. It may have been told to stop. SIGCHLD moves it on.
//   ENDED     reaped. `record` is set, and all of its output is in its files.
struct process {
  struct process *next;
  enum { STARTING, RUNNING, ENDED } state;
  char *id, *attempt;
  pid_t pid, minder;
  struct minder_report *report;
  bool tty;
  int status, in, out, err;  // -1 when closed
  int out_file, err_file;    // -1 for a hijacked process
  struct buffer input;
  bool close_input;
  struct buffer failure;     // the message on `status`
  int64_t started, kill_at;  // milliseconds of the monotonic clock; kill_at 0: never
  int64_t memory_kills;      // when it started
  int64_t look_again;        // when to read a terminal again that no process had open
  char *interrupted;         // why its end does not count as a result; else NULL
  char *record;
  bool tell_grown, tell_exit;
  struct link *link;         // of a hijacked process
};

// The connection of a hijacked process.
struct link {
  int fd; // -1 when closed
  struct buffer in, out;
};

struct supervisor {
  const struct plain *plain; // NULL: the sandbox is isolated
  const char *socket_path, *records, *output;
  char secret[SECRET_SIZE];
  struct process *processes;
  struct strings environment; // of the latest step process; hijacked processes get it
  struct log log;
  int signals;
  int control; // -1 while there is no connection
  struct buffer control_in, control_out;
  int64_t dial_at;
  bool leaving;
  int64_t leave_at;
};

#define GRACE_WHEN_LEAVING_MS 5000
// Bytes to hold for a hijacked process whose output nobody reads, or that reads no input. Beyond this, its peer waits.
#define LINK_LIMIT (256 * 1024)

int64_t now_ms(void);
void close_fd(int *fd);
struct process *process_find(struct supervisor *s, const char *id);
void process_run(struct supervisor *s, struct request *request);
void process_hijack(struct supervisor *s, struct request *request, struct link *link);
void process_stop(struct process *p, int64_t grace_ms);
void process_kill(struct process *p);
void process_interrupt(struct process *p, const char *why);
// Reaps a process that has ended, and writes its record.
void process_reap(struct supervisor *s, struct process *p);
void process_forget(struct supervisor *s, const char *id);
void process_free(struct process *p);

// output.c: the output and the input of a process.
void output_status(struct process *p);
void output_read(struct supervisor *s, struct process *p, int *fd);
void output_rest(struct supervisor *s, struct process *p);
void input_write(struct process *p);

// control.c: the connection to baggageclaim.
void control_dial(struct supervisor *s);
void control_receive(struct supervisor *s);
void control_tell(struct supervisor *s);

// hijack.c
void hijack_start(struct supervisor *s, struct reader *r);
void hijack_receive(struct process *p);
void hijack_send(struct process *p);
void link_free(struct link *link);
