/**
 * Ends child processes if the program is killed. A shell waits on a pipe that only this program holds open. When the
 * pipe closes, the shell ends all processes in the program's control groups. It also ends all processes with a certain
 * environment variable, which it can read only on Linux.
 */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"

const name = "TASK_CONDUCTOR_PROGRAM"

/** The prefix of the control groups of this process. */
export const groupPrefix = `task-conductor-${process.pid}-`

/**
 * The script of the watchdog. Nothing is written to the pipe, so the first read returns when the program has ended. The
 * script looks for processes several times, because some may just be starting.
 *
 * If commands use up all processes, `grep` cannot start, but `command eval` keeps the shell alive. Because `files` then
 * lacks the word `end`, the shell reads the environments itself.
 */
const script = `
find_files() {
  files=
  command eval 'files=$(grep -lsF "$1" /proc/[0-9]*/environ; echo end)'
  case $files in *end) files=\${files%end}; return;; esac
  for file in /proc/[0-9]*/environ; do
    while read -r line || [ "$line" ]; do
      case $line in *"$1"*) files="$files $file";; esac
    done < "$file"
  done
}
trap '' HUP INT TERM
read -r end
command eval 'groups=$(find /sys/fs/cgroup -type d -name "$2*")'
for group in $groups; do echo 1 > "$group/cgroup.kill"; done
signal=TERM looks=0 empty=0
while [ $empty -lt 30 ]; do
  find_files "$1"
  if [ -z "$files" ]; then empty=$((empty+1)); else empty=0; fi
  for file in $files; do
    pid=\${file#/proc/} pid=\${pid%/environ}
    kill -$signal -$pid $pid
  done
  looks=$((looks+1))
  if [ $looks -gt 2 ]; then signal=KILL; fi
  command eval 'sleep 0.1 || sleep 1'
done
for group in $groups; do rmdir "$group"; done
`

const start = (variable: string): void => {
  const shell = spawn("/bin/sh", ["-c", script, "sh", variable, groupPrefix], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin:/run/current-system/sw/bin" },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  /** Without a watchdog, child processes are ended only while the program itself runs. */
  shell.on("error", () => undefined)
  shell.stdin.on("error", () => undefined)
  shell.unref()
  if ("unref" in shell.stdin && typeof shell.stdin.unref === "function") shell.stdin.unref()
}

let started: Readonly<Record<string, string>> | undefined

/** Environment variables that mark a process, so that the watchdog ends it with this program. */
export const endsWithProgram = (): Readonly<Record<string, string>> => {
  if (started !== undefined || process.platform !== "linux") return started ?? {}
  const value = randomUUID()
  start(`${name}=${value}`)
  started = { [name]: value }
  return started
}
