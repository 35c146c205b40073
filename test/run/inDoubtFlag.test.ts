/**
 * What `resume --in-doubt` says about a call that was begun before its run broke off: the journal ends with its intent, as that
 * of a process that was killed there.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { liveTest } from "../support/liveTest.ts"
import { scopedSandbox } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { inProcess } from "../support/inProcess.ts"
import { freeSkill, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageNameOf } from "../support/stageName.ts"

const answers: Readonly<Record<string, string>> = {
  creation: planOf([[{ name: "Build 1", skill: "free" }]]),
  refinement: refinementWith([{ name: "run_command", arguments: { argv: ["node", "build.cjs"] } }]),
  execution: resultSaying("It is built.")
}

/** A project outside of which a command may have done something, and a run that broke off while it was at work. */
const brokenOff = Effect.gen(function* () {
  const server = yield* FakeOllama.make(({ messages }) => answers[stageNameOf(messages)] ?? "")
  const sandbox = yield* Effect.map(scopedSandbox(), inProcess)
  const { root, run, write } = sandbox
  write("config/task-conductor/skills/free/SKILL.md", freeSkill)
  write("config/task-conductor/config.json", JSON.stringify({ sandbox: { mode: "off" } }))
  write("project/build.cjs", 'require("node:fs").appendFileSync("../begun.txt", "begun\\n")\n')
  const allowed = ["--yes-this-run", "--allow", "run_command"]
  const env = { OLLAMA_HOST: server.url }
  const first = yield* Effect.promise(() => run(["run", "--model", fakeModel, ...allowed, "Build it."], { env }))
  assert.strictEqual(first.code, 0, first.stderr)
  const [journal = ""] = globSync(join(root, "home/.local/state/task-conductor/runs/*/journal.jsonl"))
  const lines = readFileSync(journal, "utf8").split("\n")
  const begun = lines.findLastIndex((line) => line.includes('"type":"intent"'))
  return {
    effects: () => readFileSync(join(root, "begun.txt"), "utf8").trim().split("\n").length,
    resume: (...flags: ReadonlyArray<string>) => {
      writeFileSync(journal, `${lines.slice(0, begun + 1).join("\n")}\n`)
      return Effect.promise(() => run(["resume", "last", ...allowed, ...flags], { env }))
    }
  }
})

liveTest("makes a call in doubt again, takes it as done, or stops, as --in-doubt says", function* () {
  const { effects, resume } = yield* brokenOff
  const rows: ReadonlyArray<[flags: ReadonlyArray<string>, code: number, effects: number, says: string]> = [
    [[], 4, 1, "or say it with resume --in-doubt"],
    [["--in-doubt", "abort"], 4, 1, ""],
    [["--in-doubt", "done"], 0, 1, "It is built."],
    [["--in-doubt", "retry"], 0, 2, ""]
  ]
  for (const [flags, code, count, says] of rows) {
    const resumed = yield* resume(...flags)
    assert.deepStrictEqual([resumed.code, effects()], [code, count], resumed.stderr)
    assert.include(resumed.stdout + resumed.stderr, says)
  }
})
