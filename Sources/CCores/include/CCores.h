// How many cores a process may run on. Swift's Glibc module does not have the GNU functions for it.
#ifndef TW_CORES_H
#define TW_CORES_H

// At least 1. Under taskset(1) or in a cpuset they are fewer than the machine has.
int tw_cores(void);

#endif
