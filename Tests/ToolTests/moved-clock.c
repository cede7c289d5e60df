// Another clock for a program and its children: to be loaded before its libraries (LD_PRELOAD). The time of day is
// TW_CLOCK_AHEAD seconds ahead. CLOCK_MONOTONIC, by which programs wait, and their waiting go TW_CLOCK_FASTER times as
// fast, so that nobody waits for a service that is away.
//
// As libfaketime does, it sets a variable before the program begins, which moves `environ` away from the words of the
// command line.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long ahead;
static long long faster = 1;

__attribute__((constructor)) static void begin(void) {
  const char *value = getenv("TW_CLOCK_AHEAD");
  if (value) ahead = atol(value);
  value = getenv("TW_CLOCK_FASTER");
  if (value && atol(value) > 0) faster = atol(value);
  setenv("TW_TEST_LIBRARY_SAYS", "hello", 1);
}

static int shortened(int milliseconds) { return milliseconds > 0 ? (milliseconds + faster - 1) / faster : milliseconds; }

static long long nanoseconds(const struct timespec *time) { return time->tv_sec * 1000000000LL + time->tv_nsec; }

static struct timespec timespec(long long nanoseconds) {
  return (struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000};
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (result != 0) return result;
  if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE) now->tv_sec += ahead;
  if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME) {
    *now = timespec(nanoseconds(now) * faster);
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
  struct timespec shorter = timespec(nanoseconds(time) / faster);
  return syscall(SYS_nanosleep, &shorter, rest);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
  struct timespec shorter = *time;
  if (clock == CLOCK_REALTIME && flags == TIMER_ABSTIME) shorter.tv_sec -= ahead;
  else shorter = timespec(nanoseconds(time) / faster);
  return syscall(SYS_clock_nanosleep, clock, flags, &shorter, rest) == 0 ? 0 : errno;
}
