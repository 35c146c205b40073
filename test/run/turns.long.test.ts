/**
 * Runs whose tasks have several turns: what a person is asked, and how they go on and are played again.
 */
import { describe, expect } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { needs } from "../support/needs.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { scriptedApprover, willingApprover } from "../support/ScriptedApprover.ts"
import { answerIn, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageName } from "../support/stageName.ts"

const hasLooked = (prompt: FilledPrompt): boolean => stageName(prompt) === "execution"

const read = { name: "read_file", arguments: { path: "a.txt" } }
const edit = { name: "edit_file", arguments: { path: "a.txt", old_text: "one", new_text: "two" } }

/** A model that knows the file, and that it has changed it, only from what a prompt shows. */
const careful = (prompt: FilledPrompt): string => {
  const stage = stageName(prompt)
  if (!/^(?:refine|execu)/.test(stage))
    return answerIn(stage, { creation: planOf([[{ name: "Edit 1", skill: "edit-files" }]]) })
  if (!/^1: one$/m.test(prompt.user)) return refinementWith([read])
  return prompt.user.includes("### Changed: a.txt") ? resultSaying("It is done.") : refinementWith([edit])
}

const makeRun = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const run = yield* makeKeptRun({ prompt: "Do it." })
  yield* fs.writeFileString(`${run.project}/a.txt`, "one\n")
  return { ...run, text: fs.readFileString(`${run.project}/a.txt`) }
})

const turn = (number: number): string => `round-1/turn/edit-1/attempt-${number}`
const look = "round-1/tool/edit-1/turn-1/call-1"
const change = "round-1/tool/edit-1/change-1"

const turnsSent = (sent: ReadonlyArray<string>) => sent.filter((one) => one.includes("/turn/"))

describe("a run with a task of several turns", () => {
  nodeTest("asks about the change when the turns have ended, and only then makes it", function* () {
    const run = yield* makeRun
    const approver = scriptedApprover({ calls: ["once"], steps: ["step"] })
    const before: Array<string> = []
    const answer = (prompt: FilledPrompt) => {
      before.push(readFileSync(`${run.project}/a.txt`, "utf8"))
      return careful(prompt)
    }
    const { called, events, report, sent } = yield* run.session({ answer, approver: approver.layer })
    expect(approver.asked.map((items) => items.map(({ call, tool }) => [tool, call?.uid]))).toEqual([
      [["read_file", "turn-1/call-1"]],
      [["edit_file", "change-1"]]
    ])
    expect(called).toEqual(["Edit 1/turn-1/call-1", "Edit 1/change-1"])
    expect(sent.slice(1)).toEqual([turn(1), turn(2), turn(3)])
    const turns = events.flatMap((event) => (event.type === "task.turn" ? [event] : []))
    const told = turns.map(({ calls, turn }) => `${turn} ${calls.map(({ name }) => name).join()}`)
    expect(told).toEqual(["1 read_file", "2 edit_file"])
    expect([report?.status, report?.results[0]?.calls.length, yield* run.text]).toEqual(["done", 2, "two\n"])
    /* The edit counts once, when it is made in the project. */
    expect([before, report?.usage.toolCalls]).toEqual([["one\n", "one\n", "one\n", "one\n"], 2])
    const keys = (yield* run.keys).filter((key) => /^(?:intent|outcome .*\/tool\/)/.test(key))
    expect(keys).toEqual([`outcome ${look}`, `intent ${change}`, `outcome ${change}`])
  })

  /** Kills right after a record of the first session, what is asked and called then, and what is in the file by then. */
  const kills = [
    ["outcome", turn(1), [turn(2), turn(3)], ["turn-1/call-1", "change-1"]],
    ["outcome", look, [turn(2), turn(3)], ["change-1"]],
    /* The change of the second turn is made again in the working copy, so that the third turn is the same. */
    ["outcome", turn(2), [turn(3)], ["change-1"]],
    ["outcome", turn(3), [], ["change-1"]],
    ["settled", "round-1/refined/edit-1", [], ["change-1"]],
    ["intent", change, [], [], "two\n"],
    ["outcome", change, [], [], "two\n"]
  ] as const
  for (const [type, key, sent, called, text = "one\n"] of kills) {
    nodeTest(`comes to the same end when it is killed after the ${type} of ${key}, with ${text.trim()}`, function* () {
      const fs = yield* FileSystem.FileSystem
      const run = yield* makeRun
      const whole = yield* run.session({ answer: careful, approver: willingApprover() })
      yield* run.cutAfter(`${type} ${key}`)
      yield* fs.writeFileString(`${run.project}/a.txt`, text)

      const resumed = yield* run.session({ answer: careful, approver: willingApprover() })
      expect(turnsSent(resumed.sent)).toEqual(sent)
      expect(resumed.called).toEqual(called.map((uid) => `Edit 1/${uid}`))
      expect([resumed.report?.status, resumed.report?.answer]).toEqual([whole.report?.status, whole.report?.answer])
      expect(yield* run.text).toBe("two\n")
    })
  }

  nodeTest("uses turns that looked at a secret, which the journal does not hold", function* () {
    const fs = yield* FileSystem.FileSystem
    const run = yield* makeRun
    yield* fs.writeFileString(`${run.project}/a.txt`, "one\nkey = the-s3cret-value\n")
    const approver = scriptedApprover({ calls: ["once"], steps: ["decline"] }).layer
    const before = yield* run.session({ answer: careful, approver })
    expect([before.called, before.report?.status]).toEqual([["Edit 1/turn-1/call-1"], "declined"])
    expect(yield* fs.readFileString(run.file)).not.toContain("the-s3cret-value")
    const after = yield* run.session({ answer: careful, approver: willingApprover() })
    expect([turnsSent(after.sent), after.called, after.report?.status]).toEqual([[], ["Edit 1/change-1"], "done"])
    expect(yield* run.text).toBe("two\nkey = the-s3cret-value\n")
  })
})

/** Writes a file, and counts in the same file how often it ran. */
const makes = (text: string) => ({
  name: "run_command",
  arguments: { argv: ["sh", "-c", `echo "${text}" >> made.txt`] }
})

const building =
  (text: string) =>
  (prompt: FilledPrompt): string => {
    if (stageName(prompt) === "creation") return planOf([[{ name: "Edit 1", skill: "free" }]])
    return hasLooked(prompt) ? resultSaying("It is made.") : refinementWith([makes(text)])
  }

describe("a command in the turns of a task", needs("bwrap"), () => {
  /** A run that is killed after this record. */
  const killedAfter = Effect.fnUntraced(function* (record: string, text = "made") {
    const fs = yield* FileSystem.FileSystem
    const run = yield* makeKeptRun({ prompt: "Do it." })
    const file = `${run.project}/made.txt`
    const first = yield* run.session({ answer: building(text), approver: willingApprover() })
    expect([first.report?.status, yield* fs.readFileString(file)]).toEqual(["done", `${text}\n`])
    yield* run.cutAfter(record)
    yield* fs.remove(file)
    const resumed = yield* run.session({ answer: building(text), approver: willingApprover() })
    return { run, resumed, text: Effect.orElseSucceed(fs.readFileString(file), () => "none") }
  })

  for (const record of [`outcome ${look}`, `prompt ${turn(2)}`, `outcome ${turn(2)}`]) {
    nodeTest(`is not run again, and what it wrote is kept, after a kill behind the ${record}`, function* () {
      const { resumed, run, text } = yield* killedAfter(record)
      expect([resumed.called, resumed.report?.status]).toEqual([["Edit 1/change-1"], "done"])
      expect(yield* text).toBe("made\n")
      expect(yield* run.replay()).toMatchObject({ differences: [] })
    })
  }

  nodeTest("whose files hold a secret fails in a resumed run, and nothing is written without it", function* () {
    const { resumed, text } = yield* killedAfter(`outcome ${look}`, "key = the-s3cret-value")
    const result = resumed.report?.results[0]?.calls[0]?.result
    expect([result?.success, yield* text]).toEqual([false, "none"])
    expect(result?.error_message).toContain("holds a secret")
  })
})
