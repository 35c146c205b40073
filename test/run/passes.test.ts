/**
 * Runs whose tasks look before their calls are written: what a person is asked, and how they go on and are played again.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as AiError from "effect/ai/AiError"
import { taskEvidence } from "../../src/domain/history/RunEvidence.ts"
import type { JournalRecord } from "../../src/domain/journal/JournalRecord.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { layerRuleApprover } from "../../src/services/approvals/Approver.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedApprover, willingApprover } from "../support/ScriptedApprover.ts"
import { looksWith, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageName } from "../support/stageName.ts"

const stageOf = (prompt: FilledPrompt): string => stageName(prompt)
const hasLooked = ({ user }: FilledPrompt): boolean => user.includes("## What was looked at")

const read = { name: "read_file", arguments: { path: "a.txt" } }
const edit = { name: "edit_file", arguments: { path: "a.txt", old_text: "one", new_text: "two" } }

/** A model that knows the file only from what a prompt shows. */
const careful = (prompt: FilledPrompt): string => {
  switch (stageOf(prompt)) {
    case "creation":
      return planOf([[{ name: "Edit 1", skill: "edit-files" }]])
    case "refinement":
      return /^1: one$/m.test(prompt.user) ? refinementWith([edit]) : looksWith([read])
    case "execution":
      return resultSaying("It is done.")
    case "iteration":
      return planOf([])
    default:
      return "All is done."
  }
}

/** The same, but it gives up when it was not allowed to look. */
const stubborn = (prompt: FilledPrompt): string =>
  stageOf(prompt) === "refinement" && hasLooked(prompt) && !/^1: one$/m.test(prompt.user)
    ? refinementWith([])
    : careful(prompt)

const unreachable = AiError.make({
  module: "test",
  method: "generateText",
  reason: new AiError.UnknownError({ description: "gone" })
})

const makeRun = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const run = yield* makeKeptRun({ prompt: "Do it." })
  yield* fs.writeFileString(`${run.project}/a.txt`, "one\n")
  return { ...run, text: fs.readFileString(`${run.project}/a.txt`) }
})

const first = "round-1/refine/edit-1/attempt-1"
const second = "round-1/refine/edit-1/pass-2/attempt-1"
const look = "round-1/tool/edit-1/look-1/call-1"

const keysOf = (records: ReadonlyArray<JournalRecord>) =>
  records.map((record) => ("key" in record ? `${record.type} ${record.key.split("#")[0]}` : record.type))

describe("a run with a task that looks first", () => {
  nodeTest("asks about the step after the look, and shows the calls that act", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const approver = scriptedApprover({ calls: ["once"], steps: ["step"] })
      const { called, events, report, sent } = yield* run.session({ answer: careful, approver: approver.layer })
      expect(approver.asked.map((items) => items.map(({ call, tool }) => [tool, call?.uid]))).toEqual([
        [["read_file", "look-1/call-1"]],
        [["edit_file", "call-1"]]
      ])
      expect(called).toEqual(["Edit 1/look-1/call-1", "Edit 1/call-1"])
      expect(sent.slice(1, 4)).toEqual([first, second, "round-1/execute/edit-1/attempt-1"])
      expect(
        events.flatMap((event) => (event.type === "task.looked" ? [[event.pass, event.calls.length]] : []))
      ).toEqual([[1, 1]])
      expect([report?.status, report?.results[0]?.calls.length, yield* run.text]).toEqual(["done", 2, "two\n"])
      expect(report?.usage.toolCalls).toBe(2)
    })
  )

  nodeTest("needs no approval of the step for looking when it is declined", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const approver = scriptedApprover({ calls: ["once"], steps: ["decline"] })
      const { called, report } = yield* run.session({ answer: careful, approver: approver.layer })
      expect([called, report?.status, yield* run.text]).toEqual([["Edit 1/look-1/call-1"], "declined", "one\n"])
    })
  )

  nodeTest("goes on after the look without asking or looking again", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const before = yield* run.session({
        answer: (prompt) => (hasLooked(prompt) || stageOf(prompt) === "iteration" ? unreachable : careful(prompt)),
        approver: willingApprover()
      })
      expect([before.report?.status === "done", before.called]).toEqual([false, ["Edit 1/look-1/call-1"]])
      const after = yield* run.session({ answer: careful, approver: willingApprover() })
      expect(after.sent.slice(0, 2)).toEqual([second, "round-1/execute/edit-1/attempt-1"])
      expect([after.called, after.report?.status]).toEqual([["Edit 1/call-1"], "done"])
      expect(after.report?.results[0]?.calls.map(({ call }) => call.uid)).toEqual(["look-1/call-1", "call-1"])
      expect(yield* run.replay()).toMatchObject({ differences: [] })
    })
  )

  /** Kills right after a record of the first session, and what is asked and called then. */
  const kills = [
    ["prompt", first, [first, second], ["look-1/call-1", "call-1"]],
    ["outcome", first, [second], ["look-1/call-1", "call-1"]],
    ["outcome", look, [second], ["call-1"]],
    ["prompt", second, [second], ["call-1"]],
    ["outcome", second, [], ["call-1"]],
    ["settled", "round-1/refined/edit-1", [], ["call-1"]]
  ] as const
  for (const [type, key, sent, called] of kills) {
    nodeTest(`comes to the same end when it is killed after the ${type} of ${key}`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const run = yield* makeRun
        const whole = yield* run.session({ answer: careful, approver: willingApprover() })
        const records = yield* run.records
        yield* run.cut(keysOf(records).indexOf(`${type} ${key}`) + 1)
        yield* fs.writeFileString(`${run.project}/a.txt`, "one\n")
        const resumed = yield* run.session({ answer: careful, approver: willingApprover() })
        expect(resumed.sent.filter((one) => one.includes("/refine/"))).toEqual(sent)
        expect(resumed.called).toEqual(called.map((uid) => `Edit 1/${uid}`))
        expect([resumed.report?.status, resumed.report?.answer]).toEqual([whole.report?.status, whole.report?.answer])
        expect(yield* run.text).toBe("two\n")
      })
    )
  }

  nodeTest("is played again without the project, and its evidence tells the passes apart", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      yield* run.session({ answer: careful, approver: willingApprover() })
      const told = yield* run.toldTwice
      expect(told.now.filter(({ type }) => type === "task.looked")).toEqual(
        told.before.filter(({ type }) => type === "task.looked")
      )
      expect(yield* run.replay()).toMatchObject({ differences: [] })
      const { attempts, calls } = taskEvidence(yield* run.records, "Edit 1")
      expect(attempts.map(({ call }) => [call.stage, call.pass])).toEqual([
        ["refine", undefined],
        ["refine", 2],
        ["execute", undefined]
      ])
      expect(calls.map(({ call, result }) => [call.uid, result?.success])).toEqual([
        ["look-1/call-1", true],
        ["call-1", true]
      ])
    })
  )

  nodeTest("asks again in a resumed run when it was not allowed to look", () =>
    Effect.gen(function* () {
      const run = yield* makeRun
      const rules = [{ verdict: "allow", tool: "edit_file" }] as const
      const before = yield* run.session({ answer: stubborn, approver: layerRuleApprover(rules, run.project), rules })
      expect(before.report?.status).toBe("not_permitted")
      const after = yield* run.session({ answer: stubborn, approver: willingApprover() })
      expect([after.called, after.report?.status]).toEqual([["Edit 1/look-1/call-1", "Edit 1/call-1"], "done"])
      expect(yield* run.text).toBe("two\n")
    })
  )

  nodeTest("uses a refinement that looked at a secret, which the journal does not hold", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const run = yield* makeRun
      yield* fs.writeFileString(`${run.project}/a.txt`, "one\nkey = the-s3cret-value\n")
      const answer = (prompt: FilledPrompt) =>
        ["execution", "iteration"].includes(stageOf(prompt)) ? unreachable : careful(prompt)
      yield* run.session({ answer, approver: willingApprover() })
      expect(yield* fs.readFileString(run.file)).not.toContain("the-s3cret-value")
      const after = yield* run.session({ answer: careful, approver: willingApprover() })
      expect(after.sent.filter((one) => one.includes("/refine/"))).toEqual([])
      expect([after.called, after.report?.status]).toEqual([[], "done"])
    })
  )
})
