/**
 * How far commands exceed their limits. One command allocates memory and another starts processes, as fast as possible,
 * in the sandbox and without it. If this process may create control groups, the kernel enforces the limits. Otherwise
 * the program measures the commands three times a second.
 *
 *   node bench/control-groups.ts
 *
 * If the machine has no control groups, use User Mode Linux (Debian: user-mode-linux). Its first process, SCRIPT,
 * mounts /proc, /sys, a tmpfs on /tmp and cgroup2 on /sys/fs/cgroup. Then it runs this bench:
 *
 *   linux.uml mem=3G rootfstype=hostfs rootflags=/ init=SCRIPT con0=fd:0,fd:1
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { openTools } from "../test/support/OpenTools.ts"

const limits = { commandMemoryMegabytes: 400, commandProcesses: 100 }

const allocates = "const held = []; for (;;) { held.push(Buffer.alloc(10e6, 1)); console.log(held.length * 10) }"
const forks = "i=0; while [ $i -lt 3000 ]; do sleep 20 & i=$((i+1)); echo $i; done"

const measure = Effect.gen(function* () {
  console.log(
    `${process.getuid?.() === 0 ? "root" : "user"}, group ${readFileSync("/proc/self/cgroup", "utf8").trim().split("\n").at(-1)}`
  )
  for (const mode of ["required", "off"] as const) {
    const environment = { PATH: process.env["PATH"] }
    const { run } = yield* openTools({ commands: { sandbox: { mode }, environment, limits } })
    for (const argv of [
      [process.execPath, "-e", allocates],
      ["sh", "-c", forks]
    ]) {
      const { data, error_message } = yield* run("run_command", { argv, timeout_seconds: 60 })
      const { exit_code, limit, output = "", stopped } = (data ?? {}) as Readonly<Record<string, string | undefined>>
      const last = output.match(/^\d+$/gm)?.at(-1)
      const end = stopped ?? limit ?? error_message ?? ""
      console.log(`sandbox ${mode}, ${argv[0] === "sh" ? "processes" : "MB"} ${last}, exit code ${exit_code}: ${end}`)
    }
  }
})

await Effect.runPromise(Effect.scoped(Effect.provide(measure, NodeServices.layer)))
