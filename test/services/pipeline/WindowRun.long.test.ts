import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { answerReserve, estimatePrompt, type FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { type Script, scriptedRun } from "../../support/ScriptedRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { stageName } from "../../support/stageName.ts"
import { layerAllowAll } from "../../support/ScriptedApprover.ts"

/** A file of this repository with more lines than a small window has room for. */
const source = `${readFileSync("src/services/pipeline/Scheduler.ts", "utf8").split("\n").slice(0, 250).join("\n").trimEnd()}\n`
const readme = readFileSync("README.md", "utf8")
const line = source.split("\n").findIndex((one) => one.includes("awaitProducers")) + 1

const plan = planOf([
  [
    {
      name: "Read 1",
      skill: "read-code",
      needed: "Explain how `awaitProducers` waits for the tasks that a task refers to.",
      references: "[Scheduler](src/Scheduler.ts) [Project](#project-description)"
    }
  ],
  [
    {
      name: "Edit 1",
      skill: "edit-files",
      needed: "Write the summary into `notes.md`.",
      references: `[Found](#read-1-results) [Place](src/Scheduler.ts#L${line})`,
      gated: true
    }
  ]
])

const writing = refinementWith([{ name: "write_file", arguments: { path: "notes.md", content: "It waits.\n" } }])
const reading = refinementWith([
  { name: "read_file", arguments: { path: "src/Scheduler.ts" } },
  { name: "search_files", arguments: { pattern: "Effect" } }
])
const found = "It waits for `done` of each producer.\n\n## Details\n\nThe exact text."

/** One run over a project of this size, with every prompt that the model got. */
const runWith = (contextWindow: number, given: { readonly currentFile?: string; readonly plan?: string } = {}) => {
  const prompts: Array<FilledPrompt> = []
  const say = (answer: (isEdit: boolean) => string) => (user: string, _count: number, whole: FilledPrompt) => {
    prompts.push(whole)
    return answer(user.includes("**Name** Edit 1"))
  }
  const script: Script = {
    plan: say(() => plan),
    refine: say((isEdit) => (isEdit ? writing : reading)),
    execute: say((isEdit) => resultSaying(isEdit ? "Written." : found)),
    iterate: say(() => planOf([])),
    conclude: say(() => "It waits.")
  }
  const options = {
    files: { "src/Scheduler.ts": source, "README.md": readme },
    settings: { contextWindow, referenceBudget: contextWindow * 2 },
    approver: layerAllowAll
  }
  const order = { prompt: "Explain how producers are awaited, and note it.", ...given }
  return Effect.map(scriptedRun(script, options, order), (ended) => ({ ...ended, prompts }))
}

const occurrences = (text: string, part: string): number => text.split(part).length - 1

const fits = (prompt: FilledPrompt, window: number): boolean => estimatePrompt(prompt) <= window - answerReserve(window)

for (const window of [8192, 4096]) {
  nodeTest(`works with a file of 250 lines, a reference to it and a window of ${window} tokens`, function* () {
    const { events, prompts, report } = yield* runWith(window, { currentFile: "src/Scheduler.ts" })
    expect([report.status, report.failures]).toEqual(["done", []])
    const warnings = events.flatMap((event) => (event.type === "message" ? [event.text] : []))
    const count = source.split("\n").length - 1
    expect(warnings).toEqual([
      expect.stringMatching(new RegExp(`^Prompts hold the first \\d+ of ${count} lines of src`))
    ])
    expect(prompts.filter((prompt) => !fits(prompt, window))).toEqual([])
    const awaiting = source.split("\n")[line - 1]!.trim()
    for (const prompt of prompts.filter((one) => ["refinement", "execution"].includes(stageName(one)))) {
      expect(prompt.user).toContain(awaiting)
      expect(occurrences(prompt.user, "Path: src/Scheduler.ts")).toBe(0)
      expect(occurrences(prompt.user, "needs Node 20 or newer")).toBeLessThanOrEqual(1)
    }
    const edit = prompts.find((one) => stageName(one) === "refinement" && one.user.includes("**Name** Edit 1"))
    expect(edit?.user).toContain("## Details\n\nThe exact text.")
  })
}

nodeTest("says before any work, and clearly, that a window is too small", function* () {
  const refused = yield* Effect.flip(runWith(2048, { currentFile: "src/Scheduler.ts" }))
  expect(refused.message).toMatch(/the context window holds 2048\..* The largest parts are .*current file/)
  const given = yield* runWith(1840, { plan })
  expect([given.report.status, given.prompts]).toEqual(["no_valid_plan", []])
  expect(given.report.issues.map(({ code }) => code)).toEqual(["task-too-large", "task-too-large"])
  expect(given.report.issues[0]?.what).toMatch(
    /the context window holds 1840\..* The largest parts are instructions .*tool instructions/
  )
})

nodeTest("never lets a plan begin that overflows in a task later, whatever the window", function* () {
  const ends = new Set<string>()
  for (let window = 1200; window <= 6000; window += 480) {
    const run = yield* Effect.result(runWith(window, { plan }))
    if (run._tag === "Failure") {
      ends.add(run.failure._tag)
      continue
    }
    const { prompts, report } = run.success
    ends.add(report.status)
    expect([window, report.failures]).toEqual([window, []])
    expect(prompts.filter((prompt) => !fits(prompt, window))).toEqual([])
    if (report.status === "no_valid_plan") expect(prompts).toEqual([])
  }
  expect(ends).toEqual(new Set(["BriefingError", "no_valid_plan", "done"]))
})
