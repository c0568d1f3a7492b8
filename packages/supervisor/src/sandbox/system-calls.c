// The few system calls that reach past namespaces and are of no use to a step. All others are left to the kernel's own
// checks: a step runs whatever programs its image has.
#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const unsigned FORBIDDEN[] = {
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_bpf, SYS_perf_event_open, SYS_open_by_handle_at, SYS_userfaultfd,
    SYS_kexec_load, SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module};

// The same calls as programs for the processor's 32 bits make them, in the same order.
#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#define COMPAT AUDIT_ARCH_I386
#define OTHER_CALLS 0x40000000u // of the x32 interface, which nobody uses: another way to the same calls
static const unsigned FORBIDDEN_COMPAT[] = {286, 287, 288, 357, 336, 342, 374, 283, 128, 350, 129};
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#define COMPAT AUDIT_ARCH_ARM
static const unsigned FORBIDDEN_COMPAT[] = {309, 310, 311, 386, 364, 371, 388, 347, 401, 128, 379, 129};
#else
#error "unknown processor"
#endif

#define LOAD(member) (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ANSWER(answer) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, answer)
#define FORBID ANSWER(SECCOMP_RET_ERRNO | EPERM)
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define SKIP_UNLESS(test, value, count) (struct sock_filter) BPF_JUMP(BPF_JMP | (test) | BPF_K, value, 0, count)

static struct sock_filter *add_list(struct sock_filter *at, unsigned architecture, const unsigned *calls, size_t count) {
  *at++ = LOAD(arch);
  *at++ = SKIP_UNLESS(BPF_JEQ, architecture, (unsigned char)(2 + 2 * count));
  *at++ = LOAD(nr);
  for (size_t i = 0; i < count; i++) {
    *at++ = SKIP_UNLESS(BPF_JEQ, calls[i], 1);
    *at++ = FORBID;
  }
  *at++ = ALLOW;
  return at;
}

void system_calls_forbid(void) {
  struct sock_filter program[3 + 2 * (4 + 2 * COUNT(FORBIDDEN)) + 1], *at = program;
#ifdef OTHER_CALLS
  *at++ = LOAD(nr);
  *at++ = SKIP_UNLESS(BPF_JGE, OTHER_CALLS, 1);
  *at++ = FORBID;
#endif
  at = add_list(at, NATIVE, FORBIDDEN, COUNT(FORBIDDEN));
  at = add_list(at, COMPAT, FORBIDDEN_COMPAT, COUNT(FORBIDDEN_COMPAT));
  *at++ = FORBID;
  struct sock_fprog filter = {.len = (unsigned short)(at - program), .filter = program};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) fail("forbid system calls in the sandbox");
}
