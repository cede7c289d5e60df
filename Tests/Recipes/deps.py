"""What .ci/deps says and asks before it installs something: deps.py PACKAGE. Nothing is installed: apt-get and sudo are stand-ins."""

import os
import pathlib
import pty
import shutil
import subprocess
import sys

PACKAGE = pathlib.Path(sys.argv[1])
HOME = pathlib.Path.cwd()
os.mkdir("bin")
for name, text in {
    "apt-get": f'echo "$0 $*" >> {HOME}/called',
    "sudo": f'echo "sudo $*" >> {HOME}/called; exec "$@"',
    "id": "echo 1000",
    "swift": ":",
    # No library is there.
    "pkg-config": "exit 1",
}.items():
    path = HOME / "bin" / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
environment = {"PATH": f"{HOME}/bin:/usr/bin:/bin", "HOME": str(HOME)}
# brew would be looked at first.
if shutil.which("brew", path=environment["PATH"]):
    sys.exit((print("needs a system without Homebrew", file=sys.stderr), 77)[1])


def run(answer=None, **variables):
    """The status, what was said, and what was called: on a terminal where there is an answer."""
    called = HOME / "called"
    called.unlink(missing_ok=True)
    command = [str(PACKAGE / ".ci/deps")]
    if answer is None:
        result = subprocess.run(command, env=environment | variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        status, said = result.returncode, result.stderr
    else:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(command[0], command, environment | variables)
        os.write(terminal, answer.encode())
        said = b""
        try:
            while piece := os.read(terminal, 1 << 16):
                said += piece
        except OSError:
            pass  # Its end.
        status, said = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()
    return status, said, called.read_text() if called.exists() else ""


def expect(what, condition, found):
    if not condition:
        sys.exit(f"{what}: {found}")


found = run()
expect("without a terminal it says what it installs, and does", found[0] == 0 and "deps: installing with sudo apt-get: libcurl4-openssl-dev" in found[1]
       and "? [y/N]" not in found[1] and " install -y" in found[2], found)
found = run("y\n", CI="true")
expect("in CI it does not ask", found[0] == 0 and "? [y/N]" not in found[1] and "installing with sudo" in found[1] and "install" in found[2], found)
for answer in "n\n", "\n", "\x04":
    found = run(answer)
    expect("whoever says no has nothing installed", found[0] == 1 and "libcurl4-openssl-dev" in found[1] and "? [y/N]" in found[1] and not found[2], found)
found = run("y\n")
expect("whoever says yes has it installed", found[0] == 0 and "? [y/N]" in found[1] and " install -y" in found[2], found)
