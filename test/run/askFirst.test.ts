/**
 * Runs with `--ask-first`: each change is asked about, made in the project, and checked there.
 */
import { describe, expect } from "@effect/vitest"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedApprover } from "../support/ScriptedApprover.ts"
import { text, model, makeRun, settings, changesIn, breaking } from "../support/AskFirstRun.ts"

const block = (old: string, now: string) => `a.txt\n<<<<<<< OLD\n${old}\n=======\n${now}\n>>>>>>> NEW\n`

describe("a run that asks first", () => {
  nodeTest("asks before each change, makes it, checks the project, and asks again about what repairs it", function* () {
    const run = yield* makeRun
    const approver = scriptedApprover({ steps: ["step", "step"], calls: ["session"] })
    const { called, events, report, sent } = yield* run.session({
      answer: breaking,
      approver: approver.layer,
      settings
    })
    expect(changesIn(approver.asked)).toEqual([[["-two", "+broken"]], [["-broken", "+2"]]])
    expect(called).toEqual(["Edit/turn-1/call-1", "Edit/turn-2/call-1"])
    expect(sent.filter((key) => key.includes("/turn/"))).toHaveLength(3)
    expect(events.flatMap((event) => (event.type === "check.finished" ? [event.exitCode] : []))).toEqual([1, 0])
    expect([report?.status, yield* run.read("a.txt")]).toEqual(["done", text.replace("two", "2")])
    expect(report?.results[0]?.files).toEqual([{ path: "a.txt", kind: "changed", insertions: 2, deletions: 2 }])
    expect(report?.results[0]?.checks?.map(({ exitCode }) => exitCode)).toEqual([0])
    expect(events.flatMap((event) => (event.type === "approval.requested" ? [event.title] : []))[0]).toBe("Edit")
    expect(yield* run.replay()).toMatchObject({ differences: [] })
  })

  nodeTest("asks once about several changes of one file in an answer", function* () {
    const run = yield* makeRun
    const approver = scriptedApprover({ steps: ["step"], calls: ["session"] })
    const answer = model(`${block("one", "1")}\n${block("three", "3")}`)
    const { report } = yield* run.session({ answer, approver: approver.layer, settings })
    expect([report?.status, yield* run.read("a.txt")]).toEqual(["done", "1\ntwo\n3\n"])
    expect(changesIn(approver.asked)).toEqual([[["-one", "+1", "-three", "+3"]]])
  })
})
