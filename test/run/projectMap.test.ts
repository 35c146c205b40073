/**
 * The map of the project in whole runs: which prompts hold it, and that a run keeps the one that it made first.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { putFiles } from "../support/Project.ts"
import { willingApprover } from "../support/ScriptedApprover.ts"
import { answerIn, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageName } from "../support/stageName.ts"

const plan = planOf([[{ name: "Write 1" }]])
const write = refinementWith([{ name: "write_file", arguments: { path: "src/new.ts", content: "new\n" } }])

/** A model that plans one write, and the maps that each stage showed it. */
const watched = () => {
  const seen: Array<readonly [stage: string, map: string]> = []
  const answer = (prompt: FilledPrompt): string => {
    const stage = stageName(prompt)
    seen.push([stage, /^## Project map\n\n(.*)$/m.exec(prompt.system)?.[1] ?? ""])
    return answerIn(stage, { creation: plan, refinement: write })
  }
  return { seen, answer }
}

/** A model that copies the first command of the map that has "lint" in it. */
const copying = ({ system, user }: FilledPrompt): string => {
  if (stageName({ system, user }) !== "refinement") return resultSaying("Nothing was checked.")
  const command = /^- `([^`]*lint[^`]*)`/m.exec(system)?.[1]
  return command === undefined
    ? "## Task\n\n- **References** [User prompt](#user-prompt)\n\n## Tool Calls\n"
    : refinementWith([{ name: "run_command", arguments: { argv: command.split(" ") } }])
}

describe("the map of the project", () => {
  nodeTest("is in the prompts of the plan, and made once for a run and its replay", function* () {
    const run = yield* makeKeptRun({ prompt: "Do it." })
    yield* putFiles(run.project, { "package.json": "{}", "src/a.ts": "" })
    const first = watched()
    yield* run.session({ answer: first.answer })
    expect(first.seen).toEqual([
      ["creation", "2 files: json 1, typescript 1."],
      ["refinement", ""],
      ["execution", ""]
    ])
    yield* putFiles(run.project, { "src/b.ts": "", Makefile: "test:\n" })
    const second = watched()
    const { report } = yield* run.session({ answer: second.answer, approver: willingApprover() })
    expect([report?.status, second.seen]).toEqual(["done", []])
    expect(yield* run.replay()).toMatchObject({ isWhole: true, differences: [] })
  })

  nodeTest("gives run-checks the command that the project names, and none where it names none", function* () {
    const callsWith = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
      const run = yield* makeKeptRun({ prompt: "Run the linter.", skill: "run-checks" })
      yield* putFiles(run.project, files)
      const { events } = yield* run.session({ answer: copying })
      return events.flatMap((event) => (event.type === "task.turn" ? event.calls : []))
    })
    const files = { "pnpm-lock.yaml": "", "package.json": '{"scripts": {"lint:code": "eslint ."}}' }
    expect(yield* callsWith(files)).toMatchObject([
      { name: "run_command", arguments: { argv: [expect.stringMatching(/^p?npm$/), "run", "lint:code"] } }
    ])
    expect(yield* callsWith({ "package.json": "{}" })).toEqual([])
  })
})
