/**
 * Commands in a working copy: programs, killed processes, large folders, notes of calls, and a copy of the project where no overlay
 * can be mounted.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { globSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { SandboxSettings } from "../../../src/domain/commands/CommandSettings.ts"
import { CommandLine, definePlugin, runGranted, tool } from "../../../src/plugin-kit.ts"
import { CurrentCopy, makeWorkingCopy } from "../../../src/services/files/WorkingCopy.ts"
import { Journal } from "../../../src/services/journal/Journal.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { openTools } from "../../support/OpenTools.ts"
import type { CommandOrder } from "../../support/commandProcess.ts"
import { waitForProcesses } from "../../support/ProcessTable.ts"
import { makeFolder, makeProject } from "../../support/Project.ts"
import { waitFor } from "../../support/waitFor.ts"
import { keeping, openCopy as open, testWay } from "../../support/copyWays.ts"

testWay("overlay", "others")

testWay("copy", "all")

/** Waits until a command has written this file into its overlay. */
const writtenIn = (scratch: string, name: string) =>
  waitFor(`${name} in the overlay`, () => globSync(`*/command-*/upper/${name}`, { cwd: scratch }).length > 0)

describe("programs in a working copy", needs("bwrap"), () => {
  liveTest("a command that takes too long proposes nothing and leaves nothing", function* () {
    const fs = yield* FileSystem.FileSystem
    const { call, root, scratch, texts } = yield* open()
    const argv = ["sh", "-c", "echo 1 > a.txt; sleep 60"]
    const { error_type } = yield* keeping(root, call({ argv, timeout_seconds: 1 }))
    expect(error_type).toBe("timeout")
    expect(texts()).toStrictEqual({})
    const [own = ""] = yield* fs.readDirectory(scratch)
    expect(yield* fs.readDirectory(join(scratch, own))).toStrictEqual([])
  })

  liveTest("what a person changes in the project meanwhile is not replaced", function* () {
    const fs = yield* FileSystem.FileSystem
    const { root, script, scratch, texts } = yield* open({ files: { "a.txt": "a\n" } })
    const edit = Effect.andThen(writtenIn(scratch, "a.txt"), fs.writeFileString(`${root}/a.txt`, "person\n"))
    const [{ not_proposed }] = yield* Effect.all([script("echo b >> a.txt; sleep 2"), edit], { concurrency: 2 })
    expect(not_proposed).toStrictEqual(["a.txt (changed in the project meanwhile)"])
    expect(texts()).toStrictEqual({})
  })
})

const killed = fileURLToPath(new URL("../../support/commandProcess.ts", import.meta.url))

describe("after a process was killed", needs("bwrap", "overlay"), () => {
  liveTest("its command ends with it, and the next process removes what it left, also without a command", function* () {
    const fs = yield* FileSystem.FileSystem
    const project = yield* makeProject({ "a.txt": "a" })
    const scratch = yield* makeFolder
    const seconds = `${1000 + Math.random()}`
    const order: CommandOrder = { project, scratch, script: `echo 1 > begun.txt; sleep ${seconds}` }
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [killed, JSON.stringify(order)], { stdio: "inherit" })),
      (one) => Effect.sync(() => one.kill("SIGKILL"))
    )
    const commands = Effect.map(openTools({ project, commands: { scratch } }), (opened) => opened.commands)
    yield* keeping(
      project,
      Effect.gen(function* () {
        yield* writtenIn(scratch, "begun.txt")
        const [own = ""] = yield* fs.readDirectory(scratch)
        yield* Effect.flatMap(commands, ({ copies }) => copies)
        expect(yield* fs.exists(join(scratch, own)), "the folder of a living process stays").toBe(true)
        const ended = once(child, "exit")
        child.kill("SIGKILL")
        yield* Effect.promise(() => ended)
        yield* waitForProcesses(seconds, (count) => count === 0)
        expect(yield* fs.exists(join(scratch, own))).toBe(true)
        yield* commands
        expect(yield* fs.exists(join(scratch, own))).toBe(false)
      })
    )
  })
})

describe("a copy of the project", needs("bwrap"), () => {
  liveTest("holds small ignored folders, and large packages read-only, but no other large folders", function* () {
    const fs = yield* FileSystem.FileSystem
    const files = {
      ".gitignore": "dist\nnode_modules\nbig\n",
      "dist/a.js": "small",
      "node_modules/p/index.js": "package",
      "big/x": "",
      "sub/node_modules/q/index.js": "other"
    }
    const { root, script, texts } = yield* open({ files }, "copy")
    yield* fs.truncate(`${root}/big/x`, 70 * 1024 * 1024)
    yield* fs.writeFileString(`${root}/node_modules/p/large.bin`, "")
    yield* fs.truncate(`${root}/node_modules/p/large.bin`, 70 * 1024 * 1024)
    const { output } = yield* keeping(
      root,
      script(
        "cat dist/a.js node_modules/p/index.js sub/node_modules/q/index.js; ls big; (echo 1 > node_modules/p/x) 2>/dev/null || echo read-only; echo 1 > sub/node_modules/q/x && echo 1 > dist/x && mkdir -p big && echo 1 > big/y && echo written"
      )
    )
    expect(output).toMatch(/^smallpackageother.*read-only\nwritten\n$/s)
    expect(output).not.toContain("x\n")
    expect(texts()).toStrictEqual({})
  })
})

/** A plugin whose tool runs a command and could do anything beside it. */
const runner = definePlugin({
  name: "runner",
  tools: Effect.succeed({
    run_own: tool({
      description: "Runs a command.",
      parameters: Schema.Struct({ argv: CommandLine }),
      risk: "high",
      effect: "once",
      access: ({ argv }) => [{ _tag: "RunCommand", argv }],
      execute: (_given, { granted: [granted] }) => runGranted(granted)
    })
  })
})

/** Where a command is called, and whether its call is noted before it begins, so that it is in doubt when it is cut off. */
const notedCalls: Readonly<Record<string, readonly [isNoted: boolean, settings: SandboxSettings, tool?: string]>> = {
  "on a copy": [false, {}],
  "on a copy, with repositories": [false, { git: true, readable: ["/opt"] }],
  "with the network": [true, { network: true }],
  "with a list of hosts": [true, { network: ["example.org"] }],
  "with Unix sockets": [true, { unixSockets: true }],
  "with a folder outside of the project": [true, { writable: ["/var/tmp"] }],
  "without a sandbox": [true, { mode: "off" }],
  "in the project": [true, {}],
  "by a plugin": [true, {}, "run_own"]
}

describe("the call of a command that can be cut off", needs("bwrap", "overlay"), () => {
  for (const [where, [isNoted, sandbox, name = "run_command"]] of Object.entries(notedCalls)) {
    liveTest(`is ${isNoted ? "" : "not "}noted before it begins ${where}`, function* () {
      const noted: Array<string> = []
      const journal = Layer.effect(
        Journal,
        Effect.map(Journal, (none) =>
          Journal.of({ ...none, append: ({ type }) => Effect.sync(() => void noted.push(type)) })
        )
      ).pipe(Layer.provide(Journal.layerNone))
      const { run } = yield* openTools({ journal, plugins: [runner], commands: { sandbox } })
      const copy = where === "in the project" ? undefined : makeWorkingCopy()
      const { error_message } = yield* Effect.provideService(run(name, { argv: ["true"] }), CurrentCopy, copy)
      expect(error_message).toBeNull()
      expect(noted).toStrictEqual(isNoted ? ["intent"] : [])
    })
  }
})
