/**
 * Runs of a task for each item: the host lists the items, accounts for every one, and goes on with the open ones.
 */
import { describe, expect } from "@effect/vitest"
import { basename } from "node:path"
import { defaultLimits } from "../../src/domain/configuration/Limits.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedApprover, willingApprover } from "../support/ScriptedApprover.ts"
import { taskOf } from "../support/ScriptedRun.ts"
import { stageName } from "../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { itemOf, files, plan, marker, makeRun, statesOf } from "../support/ForEachRun.ts"

describe("a task for each item", () => {
  nodeTest("carries the task out for every item, asks once, and needs no further stage", function* () {
    const run = yield* makeRun
    const approver = scriptedApprover({ steps: ["step"] })
    const { events, report, sent } = yield* run.session({ answer: marker(), approver: approver.layer })
    expect(statesOf(report)).toEqual(["done", "done", "done", "done"])
    expect([report?.status, yield* run.texts]).toEqual(["done", files.map((file) => `marked ${file}\n`)])
    expect(report?.answer).toContain("4 items: 4 done.")
    const asked = approver.asked.map((items) => items.flatMap(({ targets }) => targets.map((one) => basename(one))))
    expect(asked).toEqual([files])
    const turns = files.flatMap((_, index) => [1, 2].map((turn) => `mark-${index + 1} ${turn}`))
    const sentTurns = sent.flatMap((one) => {
      const [, item, turn] = /^round-1\/turn\/(mark-\d).*attempt-(\d)$/.exec(one) ?? []
      return item === undefined ? [] : [`${item} ${turn}`]
    })
    expect(sentTurns.toSorted()).toEqual(turns)
    expect(sent.some((one) => /iterate|conclude/.test(one))).toBe(false)
    const numbers = events.flatMap((event) => (event.type === "task.item" ? [event.number] : []))
    expect(numbers.toSorted()).toEqual([1, 2, 3, 4])
    expect(events.find((event) => event.type === "message" && event.text.includes("4 items"))).toBeUndefined()
    expect(yield* run.replay()).toMatchObject({ differences: [] })
  })

  nodeTest("tries an item once more, and is not done while one has failed", function* () {
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

  nodeTest("puts the changes of several items of one file together", function* () {
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
      const given = { path: "notes/a.txt", old_text: `TODO ${which}`, new_text: `DONE ${which}` }
      return refinementWith([{ name: "edit_file", arguments: given }])
    }
    const { report } = yield* run.session({ answer, approver: willingApprover() })
    expect([report?.status, statesOf(report)]).toEqual(["done", ["done", "done"]])
    expect((yield* run.texts)[0]).toBe("DONE one\n\nkeep\n\nDONE two\n")
  })

  nodeTest("takes its items from the result of an earlier task", function* () {
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
      if (taskOf(prompt.user) === "Find") return resultSaying("Two:\n\n- the first\n- the second")
      seen.push(/the only one to work on: (.*)/.exec(prompt.user)?.[1] ?? "")
      return resultSaying("Told.")
    }
    const { report } = yield* run.session({ answer, approver: willingApprover() })
    expect(seen.toSorted()).toEqual(["the first", "the second"])
    expect([report?.status, report?.results.map(({ name }) => name)]).toEqual(["done", ["Find", "Tell"]])
  })

  nodeTest("is sent back when its pattern covers nothing", function* () {
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
})
