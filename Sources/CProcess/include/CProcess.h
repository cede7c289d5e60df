// What Swift's Glibc module does not have of a process: its words, getauxval(3), and prctl(2) and syscall(2), which
// take a variable number of arguments.
#ifndef TW_PROCESS_H
#define TW_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

// The path that was given to execve(2) for this process; NULL where the system does not say.
const char *tw_executed_path(void);

// The words that this process was started with, its name first and NULL at their end, as the system gave them to the
// program; NULL where it gives them to main alone.
char **tw_words(void);

// Hides the memory of this process: no core file of it is written, a crash reports nothing of it, and other processes
// of the user can neither read it nor attach to it. Outside Linux only core files and reports are turned off. Programs
// that it runs are not concerned on Linux; elsewhere they inherit the limit, which they may raise again. Returns 0, or
// -1 and errno.
int tw_hide_memory(void);

// Takes from this process what a program that only computes does not need: more than `memory` bytes of address space,
// files longer than `file` bytes, core files, descriptors other than 0 to 2, new privileges; on Linux also each system
// call but those for reading, writing, memory and ending. Libraries must be loaded before. What the system does not
// know is left out. The memory is not limited under a sanitizer, which needs terabytes of address space.
bool tw_confine(size_t memory, size_t file);

// Ends this process by SIGXCPU after this many more seconds of processor time; the next call counts anew.
void tw_allow_processor_seconds(unsigned seconds);

// The flag of posix_spawn(3) for a session of its own, which Swift's Glibc module does not have.
extern const short tw_spawn_session;

// Lets free(3) give blocks of this many bytes and more back to the system, where it would keep them.
void tw_give_back(int size);

// Writes what tells the session on a terminal that this process belongs to from every other one of this machine: the
// session and the terminal by their numbers, and when the session began, since both numbers are used again. false if
// the process has no controlling terminal, or nobody may know when its session began.
bool tw_terminal_session(char *name, size_t size);

// An unnamed file in memory or, where the system has none, in TMPDIR; -1 and errno if there is none. It is not
// inherited.
int tw_memory_file(void);

#endif
