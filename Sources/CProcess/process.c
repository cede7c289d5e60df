#define _GNU_SOURCE
#include "CProcess.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#ifdef __linux__
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#else
#include <limits.h>
#include <mach-o/dyld.h>
#include <stdint.h>
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

const char *tw_executed_path(void) {
#ifdef __linux__
  return (const char *)getauxval(AT_EXECFN);
#else
  static char path[PATH_MAX];
  uint32_t size = sizeof path;
  return _NSGetExecutablePath(path, &size) == 0 ? path : NULL;
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

const short tw_spawn_session = POSIX_SPAWN_SETSID;

static void limit(int resource, rlim_t value) {
  struct rlimit limit = {value, value};
  setrlimit(resource, &limit);
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#ifdef __x86_64__
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define ALLOW(name) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define DENY BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))

// Calls of another architecture have other numbers (seccomp(2)).
static bool filter_calls(void) {
  static struct sock_filter rules[] = {
      LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 1, 0), DENY, LOAD(nr),
      ALLOW(read), ALLOW(write), ALLOW(pread64), ALLOW(pwrite64), ALLOW(lseek), ALLOW(fstat), ALLOW(newfstatat),
      ALLOW(mmap), ALLOW(munmap), ALLOW(mprotect), ALLOW(mremap), ALLOW(madvise), ALLOW(brk), ALLOW(futex),
      ALLOW(getrandom), ALLOW(getrusage), ALLOW(prlimit64), ALLOW(clock_gettime), ALLOW(gettimeofday),
      ALLOW(sched_yield), ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(rt_sigreturn), ALLOW(restart_syscall),
      ALLOW(getpid), ALLOW(gettid), ALLOW(tgkill), ALLOW(exit), ALLOW(exit_group), DENY,
  };
  struct sock_fprog program = {sizeof rules / sizeof *rules, rules};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
#else
static bool filter_calls(void) { return true; }
#endif

bool tw_confine(size_t memory, size_t file) {
  // What the program was started with by whoever did not close it.
  for (int descriptor = 3; descriptor < 1024; descriptor++) close(descriptor);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, file);
  // As many as are open.
  limit(RLIMIT_NOFILE, 3);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  limit(RLIMIT_AS, memory);
#ifdef __linux__
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && filter_calls();
#else
  return true;
#endif
#else
  (void)memory;
  (void)filter_calls;
  return true;
#endif
}

void tw_allow_processor_seconds(unsigned seconds) {
  struct rusage used;
  struct rlimit limit;
  if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return;
  // The used part of a second counts as a second.
  limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1 + seconds;
  setrlimit(RLIMIT_CPU, &limit);
}

int tw_memory_file(void) {
#ifdef __linux__
  return memfd_create("tw", MFD_CLOEXEC);
#else
  const char *folder = getenv("TMPDIR");
  char path[1024];
  if (snprintf(path, sizeof path, "%s/tw.XXXXXX", folder && *folder ? folder : "/tmp") >= (int)sizeof path) return -1;
  int made = mkstemp(path);
  if (made < 0) return -1;
  unlink(path);
  fcntl(made, F_SETFD, FD_CLOEXEC);
  return made;
#endif
}

void tw_give_back(int size) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, size);
#else
  (void)size;
#endif
}
