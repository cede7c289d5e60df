// A bad disk for one program: to be loaded before its libraries (LD_PRELOAD). It concerns the files whose paths begin
// with TW_DISK_PATH. What is not set stays as it is:
//
//   TW_DISK_SYNC_MS    each sync takes this many milliseconds
//   TW_DISK_ROOM       after this many bytes each write fails with ENOSPC
//   TW_DISK_SPACE      files may grow by this many bytes in all; then a write that makes one longer fails with ENOSPC.
//   What is cut
//                      off a file is free again
//   TW_DISK_FAILS_AT   the sync of this number, from 1, fails with EIO, and so do TW_DISK_FAILURES in all from there
//   on. What was
//                      written to the file since its last sync is lost, as on Linux, and a later sync does not bring it
//                      back TW_DISK_LOCKS      0: there are no locks that belong to an open file; each try to get one
//                      fails with ENOLCK TW_DISK_CUT_AT     the power fails at the sync of this number: what no sync
//                      has reached is lost, and the program is gone
//   TW_DISK_CALL_AT    the call of this number, from 1, that makes, writes, cuts, syncs or renames a file fails once
//                      with TW_DISK_ERROR (5 EIO, 28 ENOSPC), and makes the file that TW_DISK_HIT names
//   TW_DISK_FULL       while there is a file of this name, each such call fails with ENOSPC
//
// A sync that succeeds reaches the page cache only: the machine that tests run on stays up. For programs that write
// their files on one thread, with pwrite(2), as SQLite does.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

// A write that no sync has reached, and what was there before.
struct change {
  struct change *older;
  dev_t device;
  ino_t file;
  off_t offset, size;
  size_t count;
  char path[PATH_MAX];
  unsigned char bytes[];
};

static struct change *newest;
static long syncs, written, grown;

static long setting(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : -1;
}

// Whether a descriptor is one of the files. Their index in shared memory is none: a power failure takes it away, and
// SQLite makes it again.
static int concerns(int descriptor, char path[PATH_MAX]) {
  const char *prefix = getenv("TW_DISK_PATH");
  char link[64];
  if (!prefix) return 0;
  strcpy(link, "/proc/self/fd/");
  int number = descriptor, digits = 0;
  for (int rest = number; rest > 0 || digits == 0; rest /= 10) digits++;
  for (int at = digits - 1; at >= 0; at--, number /= 10) link[14 + at] = '0' + number % 10;
  link[14 + digits] = 0;
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return !strncmp(path, prefix, strlen(prefix)) && !strstr(path, "-shm");
}

static void remember(int descriptor, const char *path, size_t count, off_t offset) {
  struct stat status;
  if (fstat(descriptor, &status)) return;
  struct change *change = malloc(sizeof *change + count);
  if (!change) abort();
  ssize_t there = pread(descriptor, change->bytes, count, offset);
  change->older = newest;
  change->device = status.st_dev;
  change->file = status.st_ino;
  change->offset = offset;
  change->size = status.st_size;
  change->count = there > 0 ? there : 0;
  strcpy(change->path, path);
  newest = change;
}

// Whether a call that changes a file fails now, by TW_DISK_CALL_AT or TW_DISK_FULL.
static int fails_now(const char *path) {
  static long calls;
  const char *prefix = getenv("TW_DISK_PATH"), *full = getenv("TW_DISK_FULL"), *hit = getenv("TW_DISK_HIT");
  if (!prefix || strncmp(path, prefix, strlen(prefix))) return 0;
  if (full && !access(full, F_OK)) {
    errno = ENOSPC;
    return 1;
  }
  if (++calls != setting("TW_DISK_CALL_AT")) return 0;
  if (hit) close(creat(hit, 0600));
  errno = setting("TW_DISK_ERROR");
  return 1;
}

static int descriptor_fails_now(int descriptor) {
  char path[PATH_MAX];
  return concerns(descriptor, path) && fails_now(path);
}

static int open_file(const char *name, const char *path, int flags, mode_t mode) {
  if (flags & O_CREAT && fails_now(path)) return -1;
  return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, name))(path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file("open", path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_file("open64", path, flags, mode);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (descriptor_fails_now(descriptor)) return -1;
  return ((ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write"))(descriptor, bytes, count);
}

int rename(const char *from, const char *to) {
  if (fails_now(to)) return -1;
  return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}

static ssize_t (*system_pwrite)(int, const void *, size_t, off_t);

static int system_ftruncate(int descriptor, off_t size) {
  return ((int (*)(int, off_t))dlsym(RTLD_NEXT, "ftruncate64"))(descriptor, size);
}

// Forgets the changes of one file, or of all for a negative descriptor; undoes them first if they are lost.
static void settle(int descriptor, int are_lost) {
  struct stat status;
  if (descriptor >= 0 && fstat(descriptor, &status)) return;
  struct change **link = &newest;
  while (*link) {
    struct change *change = *link;
    if (descriptor >= 0 && (change->device != status.st_dev || change->file != status.st_ino)) {
      link = &change->older;
      continue;
    }
    // A descriptor that is opened and closed here would release the locks that the program has on the file. After a
    // power failure nobody needs them.
    int file = !are_lost ? -1 : descriptor >= 0 ? descriptor : open(change->path, O_RDWR | O_CLOEXEC);
    struct stat now;
    if (file >= 0 && !fstat(file, &now) && now.st_ino == change->file) {
      if (system_pwrite(file, change->bytes, change->count, change->offset) < 0) abort();
      if (now.st_size > change->size && system_ftruncate(file, change->size)) abort();
    }
    *link = change->older;
    free(change);
  }
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  if (!system_pwrite) system_pwrite = (ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64");
  char path[PATH_MAX];
  if (!concerns(descriptor, path)) return system_pwrite(descriptor, bytes, count, offset);
  if (fails_now(path)) return -1;
  long room = setting("TW_DISK_ROOM");
  if (room >= 0 && written >= room) {
    errno = ENOSPC;
    return -1;
  }
  long space = setting("TW_DISK_SPACE");
  struct stat status;
  if (space >= 0 && !fstat(descriptor, &status) && offset + (off_t)count > status.st_size) {
    long more = offset + (off_t)count - status.st_size;
    if (grown + more > space) {
      errno = ENOSPC;
      return -1;
    }
    grown += more;
  }
  // A disk takes what it has room for.
  if (room >= 0 && (long)count > room - written) count = room - written;
  if (setting("TW_DISK_FAILS_AT") > 0 || setting("TW_DISK_CUT_AT") > 0) remember(descriptor, path, count, offset);
  ssize_t result = system_pwrite(descriptor, bytes, count, offset);
  if (result > 0) written += result;
  return result;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

static int synchronise(int descriptor, const char *name) {
  char path[PATH_MAX];
  if (!concerns(descriptor, path)) return ((int (*)(int))dlsym(RTLD_NEXT, name))(descriptor);
  if (fails_now(path)) return -1;
  long pause = setting("TW_DISK_SYNC_MS"), first = setting("TW_DISK_FAILS_AT"), failures = setting("TW_DISK_FAILURES");
  if (pause > 0) nanosleep(&(struct timespec){pause / 1000, pause % 1000 * 1000000}, NULL);
  syncs++;
  if (syncs == setting("TW_DISK_CUT_AT")) {
    settle(-1, 1);
    kill(getpid(), SIGKILL);
  }
  int fails = first > 0 && syncs >= first && (failures < 0 || syncs < first + failures);
  settle(descriptor, fails);
  if (fails) errno = EIO;
  return fails ? -1 : 0;
}

int fsync(int descriptor) { return synchronise(descriptor, "fsync"); }
int fdatasync(int descriptor) { return synchronise(descriptor, "fdatasync"); }

int statvfs(const char *path, struct statvfs *status) {
  int result = ((int (*)(const char *, struct statvfs *))dlsym(RTLD_NEXT, "statvfs"))(path, status);
  const char *prefix = getenv("TW_DISK_PATH");
  long space = setting("TW_DISK_SPACE");
  if (!result && prefix && space >= 0 && !strncmp(path, prefix, strlen(prefix))) {
    status->f_bavail = space > grown ? (space - grown) / status->f_frsize : 0;
  }
  return result;
}

// The log becomes shorter only when nothing in it is needed.
int ftruncate64(int descriptor, off_t size) {
  if (descriptor_fails_now(descriptor)) return -1;
  settle(descriptor, 0);
  struct stat status;
  char path[PATH_MAX];
  if (concerns(descriptor, path) && !fstat(descriptor, &status)) grown -= status.st_size - size;
  return system_ftruncate(descriptor, size);
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

static int lock(int descriptor, int command, void *argument, const char *name) {
  char path[PATH_MAX];
  if ((command == F_OFD_SETLK || command == F_OFD_GETLK) && setting("TW_DISK_LOCKS") == 0 && concerns(descriptor, path)) {
    errno = ENOLCK;
    return -1;
  }
  return ((int (*)(int, int, ...))dlsym(RTLD_NEXT, name))(descriptor, command, argument);
}

int fcntl64(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return lock(descriptor, command, argument, "fcntl64");
}

int fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return lock(descriptor, command, argument, "fcntl");
}
