# Runs a command that may install no filter of system calls: no-seccomp.py COMMAND...
import ctypes, os, struct, sys

PRCTL, SET_SECCOMP, NO_NEW_PRIVILEGES = {"x86_64": 157, "aarch64": 167}[os.uname().machine], 22, 38
LOAD, EQUAL, RETURN, REFUSE, ALLOW = 0x20, 0x15, 0x06, 0x00050001, 0x7FFF0000
rules = [
    (LOAD, 0, 0, 0), (EQUAL, 0, 3, PRCTL), (LOAD, 0, 0, 16), (EQUAL, 0, 1, SET_SECCOMP), (RETURN, 0, 0, REFUSE),
    (RETURN, 0, 0, ALLOW)]


class Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("rules", ctypes.c_char_p)]


library = ctypes.CDLL(None, use_errno=True)
program = Program(len(rules), b"".join(struct.pack("HBBI", *rule) for rule in rules))
if library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or library.prctl(SET_SECCOMP, 2, ctypes.byref(program), 0, 0):
    sys.exit("no-seccomp.py: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
