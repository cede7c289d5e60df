#define _GNU_SOURCE
#include "CTestSupport.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int tw_spawn_only_below(posix_spawn_file_actions_t *actions, int first) {
#ifdef __APPLE__
  return POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
  posix_spawn_file_actions_addclosefrom_np(actions, first);
  return 0;
#endif
}

static _Thread_local tw_sync_observer current;
static _Thread_local void *current_context;

void tw_observe_syncs(tw_sync_observer observer, void *context) {
  current = observer;
  current_context = context;
}

int fsync(int descriptor) {
  if (current != NULL) current(descriptor, current_context);
  int (*system_fsync)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  return system_fsync(descriptor);
}

// Before main, since the test program's own main would run tests. Weak: a program without such a function is always
// itself.
__attribute__((weak)) void tw_run_as_tool(const char *name);

__attribute__((constructor)) static void run_as_tool(void) {
  const char *name = getenv("TW_TEST_RUN_AS");
  if (name && tw_run_as_tool) tw_run_as_tool(name);
}

int tw_open_terminal(int rows, int columns, char *name, size_t size) {
  int descriptor = posix_openpt(O_RDWR | O_NOCTTY);
  if (descriptor < 0) return -1;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  struct winsize window = {.ws_row = rows, .ws_col = columns};
  if (!grantpt(descriptor) && !unlockpt(descriptor) && !ptsname_r(descriptor, name, size) &&
      !ioctl(descriptor, TIOCSWINSZ, &window)) {
    return descriptor;
  }
  close(descriptor);
  return -1;
}
