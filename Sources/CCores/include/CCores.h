// How many cores a process may run on: Swift's Glibc leaves out the GNU calls that tell.
#ifndef TW_CORES_H
#define TW_CORES_H

// At least 1; under taskset(1) or in a cpuset fewer than the machine has.
int tw_cores(void);

#endif
