// What Swift's Glibc module does not have of a process: prctl(2) takes a variable number of arguments.
#ifndef TW_PROCESS_H
#define TW_PROCESS_H

// Hides the memory of this process: no core file of it is written, a crash reports nothing of it, and other processes of
// the user can neither read it nor attach to it. Outside Linux only core files and reports are turned off. Programs that it
// runs are not concerned on Linux; elsewhere they inherit the limit, which they may raise again. Returns 0, or -1 and errno.
int tw_hide_memory(void);

#endif
