import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { commandLimitsOf, controlGroupFolders, usualCommandLimits } from "../../../src/domain/commands/CommandLimits.ts"
import { runChild } from "../../../src/services/commands/ChildRun.ts"
import { makeControlGroups } from "../../../src/services/commands/ControlGroup.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { waitForProcesses } from "../../support/ProcessTable.ts"

const limits = commandLimitsOf(usualCommandLimits, 0)

const groupsOfThisProcess = () => globSync(`/sys/fs/cgroup/**/task-conductor-${process.pid}-*`)

const mounts = (top: string) =>
  `25 30 0:22 / /proc rw - proc proc rw\n31 25 0:27 ${top} /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n`

it("may lie in the folders of the process and above, nearest first", () => {
  const top = "/sys/fs/cgroup"
  const rows: ReadonlyArray<readonly [own: string, mounts: string, folders: ReadonlyArray<string>]> = [
    ["0::/user.slice/a.scope\n", mounts("/"), [`${top}/user.slice/a.scope`, `${top}/user.slice`, top]],
    ["4:memory:/x\n0::/\n", mounts("/"), [top]],
    ["0::/docker/one/b\n", mounts("/docker/one"), [`${top}/b`, top]],
    ["0::/docker/two\n", mounts("/docker/one"), []],
    ["0::/docker/onemore\n", mounts("/docker/one"), []],
    ["0::/../b\n", mounts("/"), []],
    ["4:memory:/x\n", mounts("/"), []],
    ["0::/a\n", "", []]
  ]
  for (const [own, mounted, folders] of rows) {
    assert.deepStrictEqual(controlGroupFolders(own, mounted), folders, `${own} ${mounted}`)
  }
})

describe("the control group of a command", needs("controlGroups", "setsid"), () => {
  liveTest("ends what has left the command's group, session and environment, and is removed", function* () {
    const groups = yield* makeControlGroups
    const marker = `left-${process.pid}`
    const script = `env -i setsid setsid sh -c 'while :; do sleep 0.1; done' ${marker} >/dev/null 2>&1 & sleep 0.3; grep -c task-conductor /proc/self/cgroup`
    yield* Effect.scoped(
      Effect.gen(function* () {
        const group = yield* groups(limits)
        const argv = ["/bin/sh", "-c", script]
        const order = {
          argv,
          cwd: "/",
          env: { PATH: process.env["PATH"] ?? "" },
          sandboxed: false,
          seconds: 20,
          bounds: { group }
        }
        assert.deepStrictEqual(yield* runChild(order), { exitCode: 0, output: "1\n" })
        yield* waitForProcesses(marker, (count) => count > 0)
        assert.lengthOf(groupsOfThisProcess(), 1)
      })
    )
    yield* waitForProcesses(marker, (count) => count === 0)
    assert.deepStrictEqual(groupsOfThisProcess(), [])
  })

  liveTest("runs a command without it when it is gone", function* () {
    const group = yield* (yield* makeControlGroups)(limits)
    const [folder = ""] = groupsOfThisProcess()
    assert.strictEqual(spawnSync("rmdir", [folder]).status, 0)
    const order = { argv: ["/bin/echo", "ran"], cwd: "/", env: {}, sandboxed: false, seconds: 20, bounds: { group } }
    assert.deepStrictEqual(yield* runChild(order), { exitCode: 0, output: "ran\n" })
  })
})
