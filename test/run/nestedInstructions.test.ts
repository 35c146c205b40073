/**
 * Instructions of folders: what a model is shown of packages/web/AGENTS.md when a prompt, a task, a call or a change is about a file
 * below it, and how often.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { Asker } from "../../src/services/conversation/Asker.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedRun } from "../support/ScriptedRun.ts"
import { layerTestAsk, type PlannedTask, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const root = "Root rules."
const nested = "Always use tabs."
const app = "packages/web/src/app.ts"

const files = {
  "AGENTS.md": root,
  "packages/web/AGENTS.md": nested,
  "packages/api/AGENTS.md": "Never throw.",
  [app]: "export const limit = 5\n",
  "top.ts": "export const limit = 5\n",
  "packages/api/main.ts": "export const port = 80\n"
}

const edit = refinementWith([
  { name: "edit_file", arguments: { path: app, old_text: "limit = 5", new_text: "limit = 7" } }
])
const read = refinementWith([{ name: "read_file", arguments: { path: app } }])

const approver = Approver.layerYes(Approver.layerDenyAll)

/** A change without a call, so that a report may stand beside it. */
const block = (path: string, before: string, after: string): string =>
  `${path}\n<<<<<<< OLD\n${before}\n=======\n${after}\n>>>>>>> NEW\n\n`

const limit = (value: string): string => `export const limit = ${value}`

const countIn = (text = "", part = nested): number => text.split(part).length - 1

/** How often a prompt holds the instructions of the folder, and those of the project. */
const counts = (text = "") => [countIn(text), countIn(text, root)]

/** A run whose task answers in this order: its report, and the prompts of the plan and of the task, each as a whole. */
const played = Effect.fnUntraced(function* (given: {
  readonly prompt?: string
  readonly task?: Partial<PlannedTask>
  readonly answers: ReadonlyArray<string>
}) {
  const seen = { plan: Array<string>(), task: Array<string>() }
  const note = (kind: keyof typeof seen, { system, user }: FilledPrompt) => seen[kind].push(`${system}\n${user}`)
  const turn = (_: string, __: number, prompt: FilledPrompt): string =>
    given.answers[note("task", prompt) - 1] ?? resultSaying("It is changed.")
  const plan = (_: string, __: number, prompt: FilledPrompt): string => {
    note("plan", prompt)
    return planOf([[{ name: "Change 1", skill: "edit-files", ...given.task }]])
  }
  const order = { prompt: given.prompt ?? "Raise the limit to 7." }
  const { report } = yield* scriptedRun({ plan, refine: turn, execute: turn }, { files, approver }, order)
  return { report, seen }
})

describe("the instructions of a folder", () => {
  nodeTest("are in all prompts of a run whose prompt names a file of it", function* () {
    const below = "Change what is below packages/web/src/ now"
    for (const prompt of [`Change @${app}.`, `Change \`${app}\` please`, below]) {
      const { seen } = yield* played({ prompt, answers: [edit] })
      expect(counts(seen.plan[0])).toEqual([1, 1])
      expect(counts(seen.task[0])).toEqual([1, 1])
      expect(seen.plan[0]).not.toContain("Never throw.")
    }
  })

  nodeTest("are in the first prompt of a task that names a file of it", function* () {
    for (const task of [
      { references: `[app.ts](${app})` },
      { needed: `Raise the limit in ${app} to 7.` },
      { needed: "Add packages/web/src/deep/new.ts." }
    ]) {
      const { seen } = yield* played({ task, answers: [edit] })
      expect(countIn(seen.plan[0])).toBe(0)
      expect(counts(seen.task[0])).toEqual([1, 1])
      expect(seen.task[0]).toContain("(From packages/web/AGENTS.md, for what is below packages/web:)")
      expect(seen.task[0]).not.toContain("Never throw.")
    }
  })

  nodeTest("are shown once when a reference shows them", function* () {
    const references = `[rules](packages/web/AGENTS.md), [app.ts](${app})`
    const { seen } = yield* played({ task: { references }, answers: [edit] })
    expect(counts(seen.task[0])).toEqual([1, 1])
  })

  nodeTest("come with the reply to a call that reads a file of it, once", function* () {
    const { report, seen } = yield* played({ answers: [read, edit] })
    expect(seen.task.map((prompt) => countIn(prompt))).toEqual([0, 1, 1])
    expect(report.status).toBe("done")
  })

  nodeTest("come with the reply to a change without them, whose report is asked for again", function* () {
    const given = { path: app, old_text: "limit = 7", new_text: "limit =\t7" }
    const tabs = refinementWith([{ name: "edit_file", arguments: given }])
    const done = `${block(app, limit("5"), limit("7"))}${resultSaying("Done at once.")}`
    const { report, seen } = yield* played({ answers: [done, tabs] })
    expect(seen.task.map((prompt) => countIn(prompt))).toEqual([0, 1, 1])
    expect(seen.task[1]).toContain("## Instructions of the project")
    expect(report.status).toBe("done")
    expect(report.results[0]?.result.summary).toBe("It is changed.")
  })

  nodeTest("are shown in a conversation, once", function* () {
    const prompts: Array<string> = []
    const answers = ["Hello.", read, "It is 5.", `See ${app}.`, "Api."]
    const model = ScriptedModel.layer((prompt) => {
      prompts.push(`${prompt.system}\n${prompt.user}`)
      return answers[prompts.length - 1] ?? "Done."
    })
    yield* Effect.gen(function* () {
      const asker = yield* Asker
      const texts = ["Hello", "What is the limit?", "And why?", "Look at packages/api/main.ts"]
      yield* asker.hold({ runId: "ask-1", prompt: "" }, ({ send }) =>
        Effect.forEach(texts, (text) => send(text), { discard: true })
      )
    }).pipe(Effect.provide(layerTestAsk({ files, approver }).pipe(Layer.provideMerge(model))))
    expect(prompts.map((prompt) => countIn(prompt))).toEqual([0, 0, 1, 1, 1])
    expect(prompts.map((prompt) => countIn(prompt, "Never throw."))).toEqual([0, 0, 0, 0, 1])
  })
})
