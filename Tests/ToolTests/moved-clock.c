// What libfaketime does to one program, as far as the tools can tell: to be loaded before its libraries (LD_PRELOAD).
// It sets a variable before the program begins, which moves `environ` away from the words of the command line, and the
// time of day is TW_CLOCK_AHEAD seconds later.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((constructor)) static void set_a_variable(void) { setenv("TW_TEST_LIBRARY_SAYS", "hello", 1); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  const char *ahead = getenv("TW_CLOCK_AHEAD");
  if (result == 0 && clock == CLOCK_REALTIME && ahead) time->tv_sec += atol(ahead);
  return result;
}
