import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readFileSync } from "node:fs"
import { answerReserve, estimatePrompt, type FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import { Pipeline } from "../../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { planOf, refinementWith, resultSaying, layerTestRun } from "../../support/TestRun.ts"
import { EventLog } from "../../support/EventLog.ts"
import { stageName } from "../../support/stageName.ts"
import { layerAllowAll } from "../../support/ScriptedApprover.ts"

/** A file of this repository with more lines than a small window has room for. */
const source =
  `${readFileSync("src/services/pipeline/Scheduler.ts", "utf8")}${readFileSync("src/services/pipeline/StartupWarnings.ts", "utf8")}`
    .split("\n")
    .slice(0, 250)
    .join("\n")
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

/** One run over a project of this size, with every prompt that the model got. */
const runWith = (contextWindow: number, given: { readonly currentFile?: string; readonly plan?: string } = {}) => {
  const prompts: Array<FilledPrompt> = []
  const model = ScriptedModel.layer((prompt) => {
    prompts.push(prompt)
    const isEdit = prompt.user.includes("**Name** Edit 1")
    switch (stageName(prompt)) {
      case "creation":
        return plan
      case "refinement":
        return isEdit
          ? refinementWith([{ name: "write_file", arguments: { path: "notes.md", content: "It waits.\n" } }])
          : refinementWith([
              { name: "read_file", arguments: { path: "src/Scheduler.ts" } },
              { name: "search_files", arguments: { pattern: "Effect" } }
            ])
      case "execution":
        return resultSaying(
          isEdit ? "Written." : "It waits for `done` of each producer.\n\n## Details\n\nThe exact text."
        )
      case "iteration":
        return planOf([])
      default:
        return "It waits."
    }
  })
  return Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const prompt = "Explain how producers are awaited, and note it."
    const report = yield* pipeline.run({ runId: "r", prompt, ...given })
    return { prompts, report, events: (yield* EventLog).events() }
  }).pipe(
    Effect.provide(
      layerTestRun({
        files: { "src/Scheduler.ts": source, "README.md": readme },
        settings: { contextWindow, referenceBudget: contextWindow * 2 },
        approver: layerAllowAll
      }).pipe(Layer.provide(model))
    )
  )
}

const occurrences = (text: string, part: string): number => text.split(part).length - 1

const fits = (prompt: FilledPrompt, window: number): boolean => estimatePrompt(prompt) <= window - answerReserve(window)

for (const window of [8192, 4096]) {
  it.effect(`works with a file of 250 lines, a reference to it and a window of ${window} tokens`, () =>
    Effect.gen(function* () {
      const { events, prompts, report } = yield* runWith(window, { currentFile: "src/Scheduler.ts" })
      expect([report.status, report.failures]).toEqual(["done", []])
      const warnings = events.flatMap((event) => (event.type === "message" ? [event.text] : []))
      expect(warnings).toEqual([expect.stringMatching(/^Prompts hold the first \d+ of 249 lines of src/)])
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
  )
}

it.effect("says before any work, and clearly, that a window is too small", () =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(runWith(2048, { currentFile: "src/Scheduler.ts" }))
    expect(refused.message).toMatch(/the context window holds 2048\..* The largest parts are .*current file/)
    const given = yield* runWith(1840, { plan })
    expect([given.report.status, given.prompts]).toEqual(["no_valid_plan", []])
    expect(given.report.issues.map(({ code }) => code)).toEqual(["task-too-large", "task-too-large"])
    expect(given.report.issues[0]?.what).toMatch(
      /the context window holds 1840\..* The largest parts are instructions .*tool instructions/
    )
  })
)

it.effect("never lets a plan begin that overflows in a task later, whatever the window", () =>
  Effect.gen(function* () {
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
)
