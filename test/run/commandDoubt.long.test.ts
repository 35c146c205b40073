/**
 * The real binary is killed while a command of its run is at work. Nobody can know what the command did outside of the
 * project: without a terminal the run that goes on stops, on one a person says what is so. A command that reached nothing but a
 * working copy runs again.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, globSync, readFileSync, statSync, watch } from "node:fs"
import { dirname, join } from "node:path"
import type { SandboxSettings } from "../../src/domain/commands/CommandSettings.ts"
import { liveTest } from "../support/liveTest.ts"
import { type RunningBinary, program, scopedSandbox } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { needs } from "../support/needs.ts"
import { needsTerminal, openTerminal } from "../support/PseudoTerminal.ts"
import { freeSkill, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageNameOf } from "../support/stageName.ts"

/** Says that it was begun, and ends long after the test: where there is no sandbox nobody ends it before. */
const script = 'require("node:fs").appendFileSync("begun.txt", "begun\\n")\nsetTimeout(() => undefined, 60_000)\n'

const answers: Readonly<Record<string, string>> = {
  creation: planOf([[{ name: "Build 1", skill: "free" }]]),
  refinement: refinementWith([{ name: "run_command", arguments: { argv: ["node", "build.cjs"] } }]),
  execution: resultSaying("It is built.")
}

/** Ends when the project has a file `go.txt`. */
const waitingScript = `const { appendFileSync, existsSync } = require("node:fs")
appendFileSync("begun.txt", "begun\\n")
const wait = () => (existsSync("go.txt") ? undefined : setTimeout(wait, 20))
wait()
`

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

const kill = ({ child, ended }: RunningBinary) =>
  Effect.gen(function* () {
    child.kill("SIGKILL")
    expect((yield* Effect.promise(() => ended)).code).toBe("SIGKILL")
  })

/** A model that builds, a project with the script, and ways to run the binary and to go on on a terminal. */
const makeBuild = (sandboxSettings: SandboxSettings, text = script) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(({ messages }) => {
      const last = JSON.stringify(messages.at(-1))
      const inConversation =
        last.includes("begun.txt") || last.includes("Hello.") ? "It is built." : answers["refinement"]
      return answers[stageNameOf(messages)] ?? inConversation ?? ""
    })
    const sandbox = yield* scopedSandbox()
    const { root } = sandbox
    sandbox.write("config/task-conductor/skills/free/SKILL.md", freeSkill)
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ sandbox: sandboxSettings }))
    sandbox.write("project/build.cjs", text)
    const env = { OLLAMA_HOST: server.url }
    const flags = ["--yes-this-run", "--allow", "run_command"]
    const talking = ["--allow", "run_command", "--allow", "write_file", "--model", fakeModel]
    const starts = {
      run: () => sandbox.start(["run", "--json", "--model", fakeModel, ...flags, "Build it."], { env }),
      resume: () => sandbox.start(["resume", ...flags, "last"], { env }),
      ask: (...words: ReadonlyArray<string>) => sandbox.start(["ask", "--json", ...talking, ...words], { env })
    }

    /** Kills a run, and resumes it where nobody can be asked; gives what a person sees on a terminal after that. */
    const killed = Effect.fnUntraced(function* (running: RunningBinary) {
      yield* kill(running)
      const [runId = ""] = globSync("*", { cwd: join(root, "home/.local/state/task-conductor/runs") })
      const parked = yield* Effect.promise(() => starts.resume().ended)
      expect([parked.code, parked.stdout]).toEqual([4, expect.stringContaining("Not done (not permitted)")])
      expect(parked.stderr).toContain(
        "run_command on node build.cjs was begun before the run broke off, and only you can say whether it happened: go on with the run on a terminal, or say it with resume --in-doubt"
      )
      expect(parked.stderr).toContain(`Resume it: task-conductor resume ${runId}`)

      const variables = `HOME=${root}/home XDG_CONFIG_HOME=${root}/config OLLAMA_HOST=${server.url}`
      const resume = `${process.execPath} ${program} resume ${flags.join(" ")} ${runId}`
      const terminal = openTerminal(`cd ${root}/project && env ${variables} ${resume}`)
      yield* Effect.promise(() => terminal.shows("y yes, it happened"))
      yield* Effect.promise(() => terminal.shows("Did it happen? "))
      terminal.type("y")
      expect(yield* Effect.promise(() => terminal.ended), terminal.screen()).toBe(0)
      expect(terminal.screen()).toContain("It is built.")
      return JSON.stringify(server.chats.at(-1)?.messages)
    })
    return { begun: join(root, "project/begun.txt"), killed, sandbox, starts }
  })

liveTest(
  "stops without a terminal when a command was under way as it was killed, and goes on when a person says that it is done",
  function* () {
    const { begun, killed, starts } = yield* makeBuild({ mode: "off" })
    const running = starts.run()
    yield* Effect.promise(() => Promise.race([appears(begun), running.ended]))
    expect(readFileSync(begun, "utf8")).toBe("begun\n")
    expect(yield* killed(running)).toContain(
      "This call was carried out before the run was interrupted; its output is not known."
    )
    expect(readFileSync(begun, "utf8")).toBe("begun\n")
  },
  needsTerminal
)

liveTest(
  "leaves the project as it was when a command with the network was killed in a working copy",
  function* () {
    const { begun, killed, starts } = yield* makeBuild({ network: true })
    const running = starts.run()
    yield* Effect.promise(() => running.says('"type":"tool.started"'))
    expect(yield* killed(running)).toContain("What it wrote may be missing: look before you rely on it.")
    expect(existsSync(begun)).toBe(false)
  },
  { ...needsTerminal, ...needs("bwrap") }
)

const onCopy = needs("bwrap", "overlay")

/** Kills the binary while its command waits in the working copy, goes on, and sees that it ran once in the end. */
const killInCopy = Effect.fnUntraced(function* (
  { begun, sandbox }: Effect.Success<ReturnType<typeof makeBuild>>,
  running: RunningBinary,
  goOn: () => RunningBinary
) {
  yield* Effect.promise(() => running.says('"type":"tool.started"'))
  yield* kill(running)
  expect(existsSync(begun)).toBe(false)
  sandbox.write("project/go.txt", "go\n")
  const { code, stderr, stdout } = yield* Effect.promise(() => goOn().ended)
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining("It is built.")])
  expect(readFileSync(begun, "utf8")).toBe("begun\n")
})

liveTest(
  "runs a command again that was killed in a working copy, and asks nobody about it",
  function* () {
    const build = yield* makeBuild({}, waitingScript)
    yield* killInCopy(build, build.starts.run(), build.starts.resume)
    const replayed = yield* Effect.promise(() => build.sandbox.run(["replay", "last"]))
    expect([replayed.code, replayed.stderr]).toEqual([0, expect.stringContaining("is the same")])
  },
  onCopy
)

liveTest(
  "goes on with a conversation that was killed at a command in a working copy",
  function* () {
    const build = yield* makeBuild({}, waitingScript)
    expect((yield* Effect.promise(() => build.starts.ask("Hello.").ended)).code).toBe(0)
    const goOn = () => build.starts.ask("--continue", "Build it.")
    yield* killInCopy(build, goOn(), goOn)
  },
  onCopy
)
