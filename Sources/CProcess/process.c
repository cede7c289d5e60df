#define _GNU_SOURCE
#include "CProcess.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#include <sys/sysctl.h>
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

static char **words;

// glibc and macOS call it with what main gets. Swift looks for the words beside `environ`, which a library that was
// loaded before may have moved away, by setting a variable.
__attribute__((constructor)) static void keep_words(int count, char **given) {
#if defined(__GLIBC__) || defined(__APPLE__)
  (void)count;
  words = given;
#else
  (void)count, (void)given;
#endif
}

char **tw_words(void) { return words; }

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

#ifdef __linux__
// Reads the beginning of a small file.
static bool read_text(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t count = read(file, text, size - 1);
  close(file);
  if (count <= 0) return false;
  text[count] = '\0';
  return true;
}

// Session, terminal and start of a process (proc_pid_stat(5)). Its name may have any characters in it, also brackets.
static bool read_stat(const char *path, int *session, int *terminal, unsigned long long *start) {
  char text[1024];
  if (!read_text(path, text, sizeof text)) return false;
  const char *rest = strrchr(text, ')');
  const char *form = " %*c %*d %*d %d %d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu";
  return rest && sscanf(rest + 1, form, session, terminal, start) == 3;
}

bool tw_terminal_session(char *name, size_t size) {
  int session, terminal, ignored, also_ignored;
  unsigned long long start;
  char path[64], boot[64];
  if (!read_stat("/proc/self/stat", &session, &terminal, &start) || terminal == 0 || session <= 0) return false;
  snprintf(path, sizeof path, "/proc/%d/stat", session);
  if (!read_stat(path, &ignored, &also_ignored, &start)) return false;
  if (!read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot)) return false;
  boot[strcspn(boot, "\n")] = '\0';
  return snprintf(name, size, "%s-%d-%x-%llu", boot, session, (unsigned)terminal, start) < (int)size;
}
#else
bool tw_terminal_session(char *name, size_t size) {
  pid_t session = getsid(0);
  int query[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, session};
  struct kinfo_proc leader;
  size_t length = sizeof leader;
  if (session <= 0 || sysctl(query, 4, &leader, &length, NULL, 0) != 0 || length == 0) return false;
  if (leader.kp_eproc.e_tdev == NODEV) return false;
  return snprintf(name, size, "%d-%x-%lld-%d", (int)session, (unsigned)leader.kp_eproc.e_tdev,
                  (long long)leader.kp_proc.p_starttime.tv_sec, (int)leader.kp_proc.p_starttime.tv_usec) < (int)size;
}
#endif

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
