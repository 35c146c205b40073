/**
 * The real binary is killed while a command of its run is at work. Nobody can know what the command did outside of the
 * project: without a terminal the run that goes on stops, on one a person says what is so.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, globSync, readFileSync, statSync, watch } from "node:fs"
import { dirname, join } from "node:path"
import { makeSandbox, program } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { needs } from "../support/needs.ts"
import { needsTerminal, openTerminal } from "../support/PseudoTerminal.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageNameOf } from "../support/stageName.ts"

const skill = `---
name: build
description: Runs commands. Use it in tests.
allowed-tools: run_command
---

## Refinement

Make the calls.

## Execution

Say what was found.
`

/** Says that it was begun, and ends long after the test: where there is no sandbox nobody ends it before. */
const script = 'require("node:fs").appendFileSync("begun.txt", "begun\\n")\nsetTimeout(() => undefined, 60_000)\n'

const answers: Readonly<Record<string, string>> = {
  creation: planOf([[{ name: "Build 1", skill: "build" }]]),
  refinement: refinementWith([{ name: "run_command", arguments: { argv: ["node", "build.cjs"] } }]),
  execution: resultSaying("It is built.")
}

/** Resolves when the file is there and not empty. */
const appears = (file: string): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return
      watcher.close()
      resolve()
    }
    const watcher = watch(dirname(file), check)
    check()
  })

/** A model that builds, a project with the script, and ways to run the binary and to go on on a terminal. */
const makeBuild = (sandboxMode: "off" | "auto") =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(({ messages }) => answers[stageNameOf(messages)] ?? "")
    const sandbox = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
    const { root } = sandbox
    sandbox.write("config/task-conductor/skills/build/SKILL.md", skill)
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ sandbox: { mode: sandboxMode } }))
    sandbox.write("project/build.cjs", script)
    const env = { OLLAMA_HOST: server.url }
    const flags = ["--yes-this-run", "--allow", "run_command"]
    const running = sandbox.start(["run", "--json", "--model", fakeModel, ...flags, "Build it."], { env })

    /** Kills the run, and resumes it where nobody can be asked; gives what a person sees on a terminal after that. */
    const killed = Effect.gen(function* () {
      running.child.kill("SIGKILL")
      expect((yield* Effect.promise(() => running.ended)).code).toBe("SIGKILL")
      const [runId = ""] = globSync("*", { cwd: join(root, "home/.local/state/task-conductor/runs") })
      const parked = yield* Effect.promise(() => sandbox.run(["resume", ...flags, runId], { env }))
      expect([parked.code, parked.stdout]).toEqual([4, ""])
      expect(parked.stderr).toContain(
        "run_command on node build.cjs was begun before the run broke off, and only you can say whether it happened: go on with the run on a terminal"
      )
      expect(parked.stderr).toContain(`Resume it: task-conductor resume ${runId}`)

      const variables = `HOME=${root}/home XDG_CONFIG_HOME=${root}/config OLLAMA_HOST=${server.url}`
      const resume = `${process.execPath} ${program} resume ${flags.join(" ")} ${runId}`
      const terminal = openTerminal(`cd ${root}/project && env ${variables} ${resume}`)
      yield* Effect.promise(() => terminal.shows("d done already"))
      yield* Effect.promise(() => terminal.shows("Run it again? "))
      terminal.type("d\r")
      expect(yield* Effect.promise(() => terminal.ended), terminal.screen()).toBe(0)
      expect(terminal.screen()).toContain("It is built.")
      return JSON.stringify(server.chats.at(-1)?.messages)
    })
    return { begun: join(root, "project/begun.txt"), killed, running }
  })

it.live(
  "stops without a terminal when a command was under way as it was killed, and goes on when a person says that it is done",
  () =>
    Effect.gen(function* () {
      const { begun, killed, running } = yield* makeBuild("off")
      yield* Effect.promise(() => Promise.race([appears(begun), running.ended]))
      expect(readFileSync(begun, "utf8")).toBe("begun\n")
      expect(yield* killed).toContain(
        "This call was carried out before the run was interrupted; its output is not known."
      )
      expect(readFileSync(begun, "utf8")).toBe("begun\n")
    }),
  { timeout: 240_000, ...needsTerminal }
)

it.live(
  "leaves the project as it was when a command was killed in a working copy, and says that what it wrote may be missing",
  () =>
    Effect.gen(function* () {
      const { begun, killed, running } = yield* makeBuild("auto")
      yield* Effect.promise(() => running.says('"type":"tool.started"'))
      expect(yield* killed).toContain("What it wrote may be missing: look before you rely on it.")
      expect(existsSync(begun)).toBe(false)
    }),
  { timeout: 240_000, ...needsTerminal, ...needs("bwrap") }
)
