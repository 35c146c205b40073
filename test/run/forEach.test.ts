/**
 * Runs of a task for each item: the host lists the items, accounts for every one, and goes on with the open ones.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { defaultLimits } from "../../src/domain/configuration/Limits.ts"
import { taskEvidence } from "../../src/domain/history/RunEvidence.ts"
import { runOverview } from "../../src/domain/history/RunOverview.ts"
import { countItems } from "../../src/domain/plan/ForEach.ts"
import { systemParts, taskHtml } from "../../src/plugins/report/TaskHtml.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedApprover, willingApprover } from "../support/ScriptedApprover.ts"
import { stageName } from "../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const taskOf = ({ user }: FilledPrompt): string => /^- \*\*Name\*\* (.+)$/m.exec(user)?.[1]?.replaceAll("\\", "") ?? ""
const itemOf = (prompt: FilledPrompt): string => /the only one to work on: (\S+)/.exec(prompt.user)?.[1] ?? ""

const files = ["a.txt", "b.txt", "c.txt", "d.txt"]

const plan = planOf([[{ name: "Mark", skill: "edit-files", each: "file in `notes/*.txt`", needed: "Mark the file." }]])

/** A change of one of the notes. */
const change = (before: string, after: string) =>
  refinementWith([{ name: "edit_file", arguments: { path: "notes/a.txt", old_text: before, new_text: after } }])

const edit = (path: string) =>
  refinementWith([{ name: "edit_file", arguments: { path, old_text: "plain", new_text: "marked" } }])

interface Marks {
  /** What the first answer about an item is, where it is no edit. */
  readonly first?: Readonly<Record<string, string>>
  /** The answers to the questions what is left. */
  readonly left?: string
}

/** A model that marks each file. */
const marker =
  ({ first = {}, left = planOf([]) }: Marks = {}) =>
  (prompt: FilledPrompt): string => {
    const item = itemOf(prompt)
    switch (stageName(prompt)) {
      case "creation":
        return plan
      case "refinement":
        return first[item] ?? edit(item)
      case "execution":
        return resultSaying(`Marked ${item}.`)
      case "iteration":
        return left
      default:
        return "It is over."
    }
  }

const makeRun = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const run = yield* makeKeptRun({ prompt: "Mark all notes." })
  yield* fs.makeDirectory(`${run.project}/notes`)
  for (const file of files) yield* fs.writeFileString(`${run.project}/notes/${file}`, `plain ${file}\n`)
  const texts = Effect.forEach(files, (file) => fs.readFileString(`${run.project}/notes/${file}`))
  return { ...run, texts, fs }
})

const statesOf = (
  report:
    | { readonly results: ReadonlyArray<{ readonly items?: ReadonlyArray<{ readonly state: string }> }> }
    | undefined
) => report?.results[0]?.items?.map(({ state }) => state)

describe("a task for each item", () => {
  nodeTest("carries the task out for every item, asks once, and needs no further stage", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const approver = scriptedApprover({ steps: ["step"] })
      const { events, report, sent } = yield* run.session({ answer: marker(), approver: approver.layer })
      expect(statesOf(report)).toEqual(["done", "done", "done", "done"])
      expect([report?.status, yield* run.texts]).toEqual(["done", files.map((file) => `marked ${file}\n`)])
      expect(report?.answer).toContain("4 items: 4 done.")
      expect(
        approver.asked.map((items) => items.map(({ targets }) => targets.map((one) => one.split("/").at(-1))))
      ).toEqual([files.map((file) => [file])])
      expect(sent.filter((one) => one.startsWith("round-1/turn/")).toSorted()).toEqual(
        files.flatMap((_, index) =>
          [1, 2].map((turn) => expect.stringMatching(`^round-1/turn/mark-${index + 1}-.*attempt-${turn}$`))
        )
      )
      expect(sent.some((one) => /iterate|conclude/.test(one))).toBe(false)
      expect(events.flatMap((event) => (event.type === "task.item" ? [event.number] : [])).toSorted()).toEqual([
        1, 2, 3, 4
      ])
      expect(events.find((event) => event.type === "message" && event.text.includes("4 items"))).toBeUndefined()
    })
  )

  nodeTest("is shown with its counts, and with a row for each item in the report", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      yield* run.session({ answer: marker(), approver: willingApprover() })
      const records = yield* run.records
      const head = { runId: "run-1", status: "done", project: run.project, prompt: "Mark all notes." } as const
      const [shown] = runOverview(records, head).tasks
      const states = taskEvidence(records, "Mark").items?.map(({ state }) => state) ?? []
      expect(states.length).toBe(4)
      expect(shown?.items).toEqual(countItems(taskEvidence(records, "Mark").items ?? []))
      const task = { ...taskEvidence(records, "Mark"), slug: "mark", approvals: [] }
      const page = taskHtml(task, { project: run.project, tasks: new Set() }, systemParts([])).source
      expect(page).toContain("<h4>Items</h4><p>4 items: 4 done.</p>")
      expect(page).toMatch(
        /<td>notes\/c\.txt<\/td><td>done<\/td><td>Marked notes\/c\.txt\.<\/td><td>notes\/c\.txt<\/td>/
      )
    })
  )

  nodeTest("says which items were left as they were, and why", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const answer = marker({ first: { "notes/b.txt": resultSaying("It is marked already.") } })
      const { report } = yield* run.session({ answer, approver: willingApprover() })
      expect(report?.results[0]?.items?.[1]).toEqual({
        item: "notes/b.txt",
        state: "unchanged",
        note: "It is marked already."
      })
      expect(report?.status).toBe("done")
    })
  )

  nodeTest("tries an item once more, and is not done while one has failed", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const answer = marker({ first: { "notes/c.txt": "I cannot." } })
      const settings = { limits: { ...defaultLimits, attempts: 2 } }
      const { report, sent } = yield* run.session({ answer, approver: willingApprover(), settings })
      expect(statesOf(report)).toEqual(["done", "done", "failed", "done"])
      expect(sent.filter((one) => one.includes("mark-3-again"))).toHaveLength(2)
      expect(report?.status).not.toBe("done")
      expect(report?.message).toContain("1 of 4 items")
      expect(yield* run.texts).toEqual(["marked a.txt\n", "marked b.txt\n", "plain c.txt\n", "marked d.txt\n"])
    })
  )

  nodeTest("counts an item as failed whose change a person left out", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const approver = scriptedApprover({ steps: [{ chosen: [1, 3, 4] }] })
      const { report } = yield* run.session({ answer: marker(), approver: approver.layer })
      expect(statesOf(report)).toEqual(["done", "failed", "done", "done"])
      expect(report?.status).not.toBe("done")
      expect((yield* run.texts)[1]).toBe("plain b.txt\n")
    })
  )

  nodeTest("counts an item as skipped when all that it asked for was denied", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const look = refinementWith([{ name: "read_file", arguments: { path: "notes/b.txt" } }])
      const approver = scriptedApprover({ calls: ["deny"], steps: ["step"] })
      const answer = (prompt: FilledPrompt): string =>
        itemOf(prompt) === "notes/b.txt" && stageName(prompt) === "execution"
          ? resultSaying("It could not be read.")
          : marker({ first: { "notes/b.txt": look } })(prompt)
      const { report } = yield* run.session({ answer, approver: approver.layer })
      expect(statesOf(report)).toEqual(["done", "skipped", "done", "done"])
      expect(report?.status).not.toBe("done")
    })
  )

  nodeTest("goes on with the open items after a crash", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      let answered = 0
      const stopping = (prompt: FilledPrompt) => {
        answered += 1
        if (answered > 5) throw new Error("killed")
        return marker()(prompt)
      }
      yield* run.session({ answer: stopping, approver: willingApprover(), settings: { parallel: 1 } })
      const { report, sent } = yield* run.session({ answer: marker(), approver: willingApprover() })
      expect(statesOf(report)).toEqual(["done", "done", "done", "done"])
      expect(sent.filter((one) => /mark-[12]-/.test(one))).toEqual([])
      expect(yield* run.texts).toEqual(files.map((file) => `marked ${file}\n`))
    })
  )

  nodeTest("puts the changes of several items of one file together", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      yield* run.fs.writeFileString(`${run.project}/notes/a.txt`, "TODO one\n\nkeep\n\nTODO two\n")
      yield* run.fs.writeFileString(`${run.project}/list.md`, "- one\n- two\n")
      const lines = planOf([
        [{ name: "Do", skill: "edit-files", each: "entry in `list.md`", needed: "Do it in notes/a.txt." }]
      ])
      const answer = (prompt: FilledPrompt): string => {
        if (stageName(prompt) === "creation") return lines
        if (stageName(prompt) !== "refinement") return resultSaying("Done.")
        const which = itemOf(prompt)
        return refinementWith([
          {
            name: "edit_file",
            arguments: { path: "notes/a.txt", old_text: `TODO ${which}`, new_text: `DONE ${which}` }
          }
        ])
      }
      const { report } = yield* run.session({ answer, approver: willingApprover() })
      expect([report?.status, statesOf(report)]).toEqual(["done", ["done", "done"]])
      expect((yield* run.texts)[0]).toBe("DONE one\n\nkeep\n\nDONE two\n")
    })
  )

  nodeTest("gives the later item a turn when two items change the same line", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      yield* run.fs.writeFileString(`${run.project}/notes/a.txt`, "TODO one, TODO two\n")
      const entries = planOf([
        [{ name: "Do", skill: "edit-files", each: "entry in `list.md`", needed: "Do it in notes/a.txt." }]
      ])
      yield* run.fs.writeFileString(`${run.project}/list.md`, "- one\n- two\n")
      const answer = (prompt: FilledPrompt): string => {
        if (stageName(prompt) === "creation") return entries
        const which = itemOf(prompt)
        const isOpen = prompt.user.includes("others changed the same lines of notes/a.txt")
        if (isOpen && !prompt.user.includes("### Changed: ")) return change("DONE one, TODO two", "DONE one, DONE two")
        if (stageName(prompt) !== "refinement") return resultSaying("Done.")
        return change("TODO one, TODO two", "TODO one, TODO two".replace(`TODO ${which}`, `DONE ${which}`))
      }
      const { report } = yield* run.session({ answer, approver: willingApprover() })
      expect([report?.status, statesOf(report)]).toEqual(["done", ["done", "done"]])
      expect((yield* run.texts)[0]).toBe("DONE one, DONE two\n")
      expect(yield* run.replay()).toMatchObject({ differences: [] })
    })
  )

  nodeTest("takes its items from the result of an earlier task", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const two = planOf([
        [{ name: "Find" }],
        [{ name: "Tell", each: "entry in [Find](#find-results)", needed: "Tell it." }]
      ])
      const seen: Array<string> = []
      const answer = (prompt: FilledPrompt): string => {
        if (stageName(prompt) === "creation") return two
        if (stageName(prompt) === "iteration") return planOf([])
        if (stageName(prompt) === "conclusion") return "It is over."
        if (taskOf(prompt) === "Find") return resultSaying("Two:\n\n- the first\n- the second")
        seen.push(/the only one to work on: (.*)/.exec(prompt.user)?.[1] ?? "")
        return resultSaying("Told.")
      }
      const { report } = yield* run.session({ answer, approver: willingApprover() })
      expect(seen.toSorted()).toEqual(["the first", "the second"])
      expect([report?.status, report?.results.map(({ name }) => name)]).toEqual(["done", ["Find", "Tell"]])
    })
  )

  nodeTest("asks before it goes over more items than the limit", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const settings = { limits: { ...defaultLimits, items: 3 } }
      const no = scriptedApprover({ steps: ["decline"] })
      const { report, sent } = yield* run.session({ answer: marker(), approver: no.layer, settings })
      expect([report?.status, sent.filter((one) => one.includes("/turn/"))]).toEqual(["declined", []])
      const run2 = yield* makeRun
      const yes = scriptedApprover({ steps: ["step", "step"] })
      const second = yield* run2.session({ answer: marker(), approver: yes.layer, settings })
      expect([second.report?.status, statesOf(second.report)?.length]).toEqual(["done", 4])
    })
  )

  nodeTest("is sent back when its pattern covers nothing", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      let plans = 0
      const answer = (prompt: FilledPrompt): string => {
        if (stageName(prompt) !== "creation") return marker()(prompt)
        plans += 1
        return plans === 1 ? plan.replace("notes/*.txt", "nothing/*.txt") : plan
      }
      const { events, report } = yield* run.session({ answer, approver: willingApprover() })
      const rejected = events.flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
      expect(rejected.map(({ code }) => code)).toEqual(["for-each-empty"])
      expect(report?.status).toBe("done")
    })
  )

  nodeTest("is the same in a replay", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      yield* run.session({ answer: marker(), approver: willingApprover() })
      expect(yield* run.replay()).toMatchObject({ differences: [] })
    })
  )
})
