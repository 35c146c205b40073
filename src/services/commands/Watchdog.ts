/**
 * Ends what this program has started when the program is killed and can do nothing itself: a shell waits for the end of a pipe
 * that only this program holds, and then ends all processes in its control groups, and those that have a variable of this
 * program in their environment, with their process groups. On Linux only, where environments can be read.
 */
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"

const name = "TASK_CONDUCTOR_PROGRAM"

/** How the names of the control groups of this process begin. */
export const groupPrefix = `task-conductor-${process.pid}-`

/**
 * Nothing comes through the pipe, so the first line waits for its end. A process that is just being started, or whose
 * environment cannot be read for a moment, is found by a later look.
 */
const script = `
trap '' HUP INT TERM
read -r end
groups=$(find /sys/fs/cgroup -type d -name "$2*")
for group in $groups; do echo 1 > "$group/cgroup.kill"; done
signal=TERM looks=0 empty=0
while [ $empty -lt 10 ]; do
  pids=$(grep -lsF "$1" /proc/[0-9]*/environ | tr -dc '0-9\\n')
  if [ -z "$pids" ]; then empty=$((empty+1)); else empty=0; fi
  for pid in $pids; do kill -$signal -$pid $pid; done
  looks=$((looks+1))
  if [ $looks -gt 2 ]; then signal=KILL; fi
  sleep 0.1 || sleep 1
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
  /* Without a shell, processes end only with a program that can end them itself. */
  shell.on("error", () => undefined)
  shell.stdin.on("error", () => undefined)
  shell.unref()
  if ("unref" in shell.stdin && typeof shell.stdin.unref === "function") shell.stdin.unref()
}

let started: Readonly<Record<string, string>> | undefined

/** The variable for the environment of a process that must not outlive this program. */
export const endsWithProgram = (): Readonly<Record<string, string>> => {
  if (started !== undefined || process.platform !== "linux") return started ?? {}
  const value = randomUUID()
  start(`${name}=${value}`)
  started = { [name]: value }
  return started
}
