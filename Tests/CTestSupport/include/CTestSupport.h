#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <spawn.h>
#include <stddef.h>

// What tests need of C.

/// Has a program that is spawned get only the descriptors below `first`, whatever else is open.
/// Returns what posix_spawnattr_setflags(3) must have set as well.
int tw_spawn_only_below(posix_spawn_file_actions_t *actions, int first);

/// Is called with the descriptor of each fsync(2).
typedef void (*tw_sync_observer)(int descriptor, void *context);

/// Tells `observer` of this thread's calls of fsync(2), before they are made; NULL ends that. The program has an fsync
/// of its own for this, which takes the place of libc's for all its code.
void tw_observe_syncs(tw_sync_observer observer, void *context);

/// Opens a new terminal of that size, and writes the path of its device to `name`. Returns what its other end is read
/// by; -1 with `errno` set if there is none.
int tw_open_terminal(int rows, int columns, char *name, size_t size);

#endif
