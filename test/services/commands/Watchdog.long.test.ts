/**
 * What a program has started ends with it, even when it is killed: real programs, killed at moments between the start of a
 * command and its life in full.
 */
import { assert, describe, it, vi } from "@effect/vitest"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chmodSync, globSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { CommandOrder } from "../../support/commandProcess.ts"
import { makeSandbox } from "../../support/binary.ts"
import { needs } from "../../support/needs.ts"
import { countProcesses, describeProcesses } from "../../support/ProcessTable.ts"
import { refinementRunning } from "../../support/TestRun.ts"
import { waitLimit } from "../../support/withinLimit.ts"

const library = fileURLToPath(new URL("../../support/commandProcess.ts", import.meta.url))

/** A tree of processes that ignore signals: in the group of the command, in sessions of their own, and without a parent. */
const tree = (mark: string) =>
  [
    "trap '' TERM HUP INT",
    `sleep ${mark} & setsid sleep ${mark} & env -i sleep ${mark} &`,
    `(setsid sh -c 'sleep ${mark} & sleep ${mark}; :' &)`,
    `sleep ${mark}; sleep ${mark}`
  ].join("\n")
/** How many of them have the mark among their arguments. */
const inTree = 6

let marks = 0
/** A number of seconds that no other process sleeps. What a failed test leaves behind ends by itself. */
const newMark = (): string => `900.${process.pid}${(marks += 1)}`

interface Kill {
  readonly signal: NodeJS.Signals
  /** Kills when so many processes have the mark, the program among them when it has, */
  readonly atLeast: number
  /** and so many milliseconds have passed since. */
  readonly wait: number
}

/** Starts a program with a command, kills it, and describes the processes that never end. */
const leftAfter = async (start: (script: string) => ChildProcess, { atLeast, signal, wait }: Kill) => {
  const mark = newMark()
  const child = start(tree(mark))
  const ended = new Promise((resolve) => child.on("exit", resolve))
  try {
    await vi.waitUntil(() => countProcesses(mark) >= atLeast, { timeout: waitLimit, interval: 2 })
    await sleep(wait)
  } finally {
    child.kill(signal)
    await ended
  }
  await vi.waitUntil(() => countProcesses(mark) === 0, { timeout: waitLimit, interval: 20 }).catch(() => undefined)
  return describeProcesses(mark)
}

const nobody = "65534"
const asNobody = ["setpriv", "--reuid", nobody, "--regid", nobody, "--clear-groups"]

const trial = [...asNobody, "test", "-r", library, "-a", "-x", process.execPath] as const
const becomes = () => spawnSync(trial[0] ?? "", trial.slice(1)).status === 0

/** What root can, others may not be able to: then another user tries it too, if that one can read this folder. */
const users = [
  { user: "this user", under: [] },
  ...(process.getuid?.() === 0 && becomes() ? [{ user: "another user", under: asNobody }] : [])
]

const startLibrary =
  (under: ReadonlyArray<string>, mode: "required" | "off", times = 1) =>
  (script: string) => {
    const project = mkdtempSync(join(tmpdir(), "task-conductor-watchdog-"))
    chmodSync(project, 0o777)
    const order: CommandOrder = { project, script, times, sandbox: { mode } }
    const [program = "", ...words] = [...under, process.execPath, library, JSON.stringify(order)]
    const child = spawn(program, words, { stdio: "ignore" })
    child.on("exit", () => rmSync(project, { recursive: true, force: true }))
    return child
  }

describe.each(users)("commands of a program that is killed, as $user", needs("setsid"), ({ under }) => {
  for (const mode of ["required", "off"] as const) {
    describe(mode === "off" ? "without a sandbox" : "in the sandbox", mode === "off" ? {} : needs("bwrap"), () => {
      it("end with all that they started", async () => {
        const kill = { signal: "SIGKILL", atLeast: inTree + 2, wait: 0 } as const
        assert.deepStrictEqual(await leftAfter(startLibrary(under, mode), kill), [])
      })

      it("end also while they start", async () => {
        const kill = { signal: "SIGKILL", atLeast: 6, wait: 0 } as const
        assert.deepStrictEqual(await leftAfter(startLibrary(under, mode, 12), kill), [])
      })
    })
  }
})

/** A user of its own, whose processes are limited: programs of other tests do not count. */
const crowded = ["setpriv", "--reuid", "60123", "--regid", nobody, "--clear-groups", "prlimit", "--nproc=150"]

/** A program for Node that starts processes as fast as it can. */
const fill = (mark: string) => `const { spawn } = require("node:child_process")
  process.on("SIGTERM", () => undefined)
  const start = () => spawn("sleep", ["${mark}"]).on("error", () => undefined)
  setInterval(() => { for (let n = 0; n < 20; n += 1) start() }, 2)`

const startCrowd = (script: string) =>
  startLibrary(crowded, "off")(`exec '${process.execPath}' -e '${fill(/900[.]\d+/.exec(script)?.[0] ?? "")}'`)

describe.each(users.slice(1))("commands that leave no room for another process, as $user", needs("setsid"), () => {
  it("end with a program that is killed", async () => {
    const kill = { signal: "SIGKILL", atLeast: 120, wait: 500 } as const
    assert.deepStrictEqual(await leftAfter(startCrowd, kill), [])
  })
})

describe("commands in a control group, without a sandbox", needs("controlGroups", "setsid"), () => {
  it("end with a program that is killed, also where nothing else tells whose they are", async () => {
    const start = startLibrary([], "off")
    const hidden = (script: string) =>
      start(`env -i setsid setsid sh -c "sleep ${/900[.]\d+/.exec(script)?.[0]}; :" &\n${script}`)
    let program = 0
    const kill = { signal: "SIGKILL", atLeast: inTree + 4, wait: 0 } as const
    const left = await leftAfter((script) => {
      const child = hidden(script)
      program = child.pid ?? 0
      return child
    }, kill)
    assert.deepStrictEqual(left, [])
    const groups = () => globSync(`/sys/fs/cgroup/**/task-conductor-${program}-*`).length
    await vi.waitUntil(() => groups() === 0, { timeout: waitLimit, interval: 20 })
  })
})

describe("commands without a sandbox", needs("setsid"), () => {
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    it(`end with a program that uses the library on ${signal}`, async () => {
      const kill = { signal, atLeast: inTree + 2, wait: 0 } as const
      assert.deepStrictEqual(await leftAfter(startLibrary([], "off"), kill), [])
    })

    it(`end with the command line on ${signal}`, async () => {
      const sandbox = makeSandbox()
      const allow = ["run_command:(no sandbox) sh tree.sh"]
      sandbox.write("config/task-conductor/config.json", JSON.stringify({ sandbox: { mode: "off" }, allow }))
      const start = (script: string) => {
        sandbox.write("project/tree.sh", script)
        sandbox.write("project/run.md", refinementRunning("sh", "tree.sh"))
        return sandbox.start(["execute", "run.md", "--yes-this-run"]).child
      }
      assert.deepStrictEqual(await leftAfter(start, { signal, atLeast: inTree, wait: 0 }), [])
      sandbox.remove()
    })
  }
})
