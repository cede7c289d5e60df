#include "CProcess.h"

#include <signal.h>
#include <stddef.h>

#ifdef __linux__
#include <sys/prctl.h>
#else
#include <sys/resource.h>
#endif

#ifndef __has_feature
#define __has_feature(name) 0
#endif

// Swift's runtime, where it finds swift-backtrace(1), prints the memory that registers point to when a program crashes.
static void forget_crash_reports(void) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  static const int crashes[] = {SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
    struct sigaction action;
    if (sigaction(crashes[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = SIG_DFL;
    action.sa_flags = 0;
    sigaction(crashes[i], &action, NULL);
  }
#endif
}

int tw_hide_memory(void) {
  forget_crash_reports();
#ifdef __linux__
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#else
  struct rlimit limit;
  if (getrlimit(RLIMIT_CORE, &limit) != 0) return -1;
  limit.rlim_cur = 0;
  return setrlimit(RLIMIT_CORE, &limit);
#endif
}
