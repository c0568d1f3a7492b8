#include "sandbox.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(capability) (1ull << (capability))
#define KEPT                                                                                                          \
  (BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FSETID) | BIT(CAP_FOWNER) | BIT(CAP_MKNOD) | BIT(CAP_NET_RAW) |    \
   BIT(CAP_SETGID) | BIT(CAP_SETUID) | BIT(CAP_SETFCAP) | BIT(CAP_SETPCAP) | BIT(CAP_NET_BIND_SERVICE) |               \
   BIT(CAP_SYS_CHROOT) | BIT(CAP_KILL) | BIT(CAP_AUDIT_WRITE))

void capabilities_drop(void) {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    if (KEPT >> capability & 1) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) fail("drop capability %d", capability);
  }
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) != 0) fail("read the capabilities");
  for (int i = 0; i < 2; i++) {
    unsigned kept = data[i].permitted & (unsigned)(KEPT >> (32 * i));
    data[i] = (struct __user_cap_data_struct){.effective = kept, .permitted = kept};
  }
  if (syscall(SYS_capset, &header, data) != 0) fail("drop the capabilities");
}
