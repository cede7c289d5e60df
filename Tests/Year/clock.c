// The clock of a year in ten minutes, for a program and its children: to be loaded before its libraries (LD_PRELOAD).
// The time of day is TW_CLOCK_AHEAD seconds ahead. CLOCK_MONOTONIC, by which programs wait, and their waiting go
// FASTER times as fast, so that nobody waits for a service that is away.
#define _GNU_SOURCE
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { FASTER = 30 };

static int shortened(int milliseconds) { return milliseconds > 0 ? (milliseconds + FASTER - 1) / FASTER : milliseconds; }

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (result != 0) return result;
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) {
    const char *ahead = getenv("TW_CLOCK_AHEAD");
    if (ahead) now->tv_sec += atol(ahead);
  } else if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME) {
    long long nanoseconds = (now->tv_sec * 1000000000LL + now->tv_nsec) * FASTER;
    now->tv_sec = nanoseconds / 1000000000;
    now->tv_nsec = nanoseconds % 1000000000;
  }
  return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

int poll(struct pollfd *files, nfds_t count, int milliseconds) {
  return syscall(SYS_poll, files, count, shortened(milliseconds));
}

int epoll_wait(int file, struct epoll_event *events, int most, int milliseconds) {
  return syscall(SYS_epoll_pwait, file, events, most, shortened(milliseconds), NULL, 8);
}

int nanosleep(const struct timespec *time, struct timespec *rest) {
  long long nanoseconds = (time->tv_sec * 1000000000LL + time->tv_nsec) / FASTER;
  struct timespec shorter = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  return syscall(SYS_nanosleep, &shorter, rest);
}
