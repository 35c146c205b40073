"""
Stands for `setpriv` of util-linux 2.41 where the system has an older one: applies Landlock and a filter of system calls by the
same options, with the system calls themselves, and runs the command. On x86-64 and ARM the calls have the same numbers.
"""
import ctypes
import os
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
names = (
    "execute write-file read-file read-dir remove-dir remove-file make-char make-dir make-reg make-sock make-fifo "
    "make-block make-sym refer truncate"
).split()


def check(result):
    if result < 0:
        sys.exit("setpriv: " + os.strerror(ctypes.get_errno()))
    return result


def bits(words):
    return sum(1 << names.index(word) for word in words.split(","))


words = sys.argv[1:]
accesses, rules, program = 0, [], None
while words:
    word = words.pop(0)
    if word == "--":
        break
    if word == "--landlock-access":
        accesses |= bits(words.pop(0).removeprefix("fs:"))
    elif word == "--landlock-rule":
        rules.append(words.pop(0).split(":", 2)[1:])
    elif word == "--seccomp-filter":
        program = open(words.pop(0), "rb").read()
    elif word == "--bounding-set=-all":
        for capability in range(41):
            libc.prctl(24, capability, 0, 0, 0)
    elif word not in ("--no-new-privs", "--inh-caps=-all"):
        sys.exit("setpriv: unrecognized option " + word)

check(libc.prctl(38, 1, 0, 0, 0))
if program is not None:
    code = ctypes.create_string_buffer(program, len(program))
    check(libc.prctl(22, 2, struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))))
attributes = struct.pack("Q", accesses)
ruleset = check(libc.syscall(444, attributes, len(attributes), 0))
for rights, path in rules:
    beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    check(libc.syscall(445, ruleset, 1, struct.pack("=Qi", bits(rights), beneath), 0))
check(libc.syscall(446, ruleset, 0))
os.close(ruleset)
os.execvp(words[0], words)
