// Runs a command and writes to descriptor 3 what it took: wall-clock seconds, peak memory in KiB, wait status.
//
// A program of its own because the kernel counts the memory of a child from before its exec(2): started by something as
// large as Python a small tool would look as large.
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count < 2) return 64;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  const pid_t child = fork();
  if (child == 0) {
    close(3);
    execvp(arguments[1], arguments + 1);
    perror(arguments[1]);
    _exit(127);
  }
  int status = 0;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 71;
  clock_gettime(CLOCK_MONOTONIC, &end);
#ifdef __APPLE__
  usage.ru_maxrss /= 1024;
#endif
  const double wall = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
  return dprintf(3, "%.6f %ld %d\n", wall, usage.ru_maxrss, status) < 0;
}
