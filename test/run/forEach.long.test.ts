/** Items that are left, denied, declined or continued after a crash. */
import { describe, expect } from "@effect/vitest"
import { defaultLimits } from "../../src/domain/configuration/Limits.ts"
import { taskEvidence } from "../../src/domain/history/RunEvidence.ts"
import { runOverview } from "../../src/domain/history/RunOverview.ts"
import { countItems } from "../../src/domain/plan/ForEach.ts"
import { systemParts, taskHtml } from "../../src/plugins/report/TaskHtml.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedApprover, willingApprover } from "../support/ScriptedApprover.ts"
import { stageName } from "../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { itemOf, files, marker, makeRun, statesOf } from "../support/ForEachRun.ts"

/** A change of one of the notes. */
const change = (before: string, after: string) =>
  refinementWith([{ name: "edit_file", arguments: { path: "notes/a.txt", old_text: before, new_text: after } }])

describe("a task for each item", () => {
  nodeTest("is shown with its counts, and with a row for each item in the report", function* () {
    const run = yield* makeRun
    yield* run.session({ answer: marker(), approver: willingApprover() })
    const records = yield* run.records
    const head = { runId: "run-1", status: "done", project: run.project, prompt: "Mark all notes." } as const
    const [shown] = runOverview(records, head).tasks
    const evidence = taskEvidence(records, "Mark")
    expect(shown?.items).toEqual(countItems(evidence.items ?? []))
    const task = { ...evidence, slug: "mark", approvals: [] }
    const page = taskHtml(task, { project: run.project, tasks: new Set() }, systemParts([])).source
    expect(page).toContain("<h4>Items</h4><p>4 items: 4 done.</p>")
    expect(page).toMatch(/<td>notes\/c\.txt<\/td><td>done<\/td><td>Marked notes\/c\.txt\.<\/td><td>notes\/c\.txt<\/td>/)
  })

  nodeTest("says which items were left as they were, and why", function* () {
    const run = yield* makeRun
    const answer = marker({ first: { "notes/b.txt": resultSaying("It is marked already.") } })
    const { report } = yield* run.session({ answer, approver: willingApprover() })
    const left = { item: "notes/b.txt", state: "unchanged", note: "It is marked already." }
    expect([report?.status, report?.results[0]?.items?.[1]]).toEqual(["done", left])
  })

  nodeTest("is not done when the change of an item was left out, or all that it asked for was denied", function* () {
    const run = yield* makeRun
    const approver = scriptedApprover({ steps: [{ chosen: [1, 3, 4] }] })
    const { report } = yield* run.session({ answer: marker(), approver: approver.layer })
    expect(statesOf(report)).toEqual(["done", "failed", "done", "done"])
    expect((yield* run.texts)[1]).toBe("plain b.txt\n")

    const look = refinementWith([{ name: "read_file", arguments: { path: "notes/b.txt" } }])
    const answer = (prompt: FilledPrompt): string =>
      itemOf(prompt) === "notes/b.txt" && stageName(prompt) === "execution"
        ? resultSaying("It could not be read.")
        : marker({ first: { "notes/b.txt": look } })(prompt)
    const denying = scriptedApprover({ calls: ["deny"], steps: ["step"] })
    const { report: denied } = yield* (yield* makeRun).session({ answer, approver: denying.layer })
    expect(statesOf(denied)).toEqual(["done", "skipped", "done", "done"])
    for (const { status } of [report!, denied!]) expect(status).not.toBe("done")
  })

  nodeTest("goes on with the open items after a crash", function* () {
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

  nodeTest("gives the later item a turn when two items change the same line", function* () {
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

  nodeTest("asks before it goes over more items than the limit", function* () {
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
})
