// A machine that was suspended for two hours, for one program: to be loaded before its libraries (LD_PRELOAD). As soon
// as the file TW_SUSPENDED exists, the time of day and CLOCK_BOOTTIME are two hours later, and CLOCK_MONOTONIC, which
// poll(2) waits by, is not: that is what a program sees that wakes up.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  const char *sign = getenv("TW_SUSPENDED");
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME) && sign && access(sign, F_OK) == 0)
    time->tv_sec += 7200;
  return result;
}
