/**
 * Runs in which several tasks of a section, or a task and somebody else, change one file.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { needs } from "../support/needs.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { type ScriptedApprover, scriptedApprover, willingApprover } from "../support/ScriptedApprover.ts"
import { stageName } from "../support/stageName.ts"
import { taskOf } from "../support/ScriptedRun.ts"
import { answerIn, planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const plan = planOf([
  [
    { name: "First", skill: "edit-files" },
    { name: "Second", skill: "edit-files" }
  ]
])

const text = "one\ntwo\nthree\nfour\nfive\n"

const edit = (old: string, now: string, path = "a.txt") =>
  refinementWith([{ name: "edit_file", arguments: { path, old_text: old, new_text: now } }])

const clashes = "others changed the same lines of a.txt"

/** A model whose tasks make these changes, and answer a clash with what `clash` says. */
const model =
  (changes: Readonly<Record<string, string>>, clash: (prompt: FilledPrompt) => string = () => "?") =>
  (prompt: FilledPrompt): string => {
    const stage = stageName(prompt)
    if (!/^(?:refine|execu)/.test(stage)) return answerIn(stage, { creation: plan })

    const isClash = prompt.user.includes(clashes)
    if (stage === "refinement") return isClash ? clash(prompt) : (changes[taskOf(prompt.user)] ?? "?")
    const isOpen = isClash && !/^### Changed: /m.test(prompt.user)
    return isOpen ? clash(prompt) : resultSaying(`${taskOf(prompt.user)} is done.`)
  }

const makeRun = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const run = yield* makeKeptRun({ prompt: "Change it." })
  const file = `${run.project}/a.txt`
  yield* fs.writeFileString(file, text)
  return {
    ...run,
    fs,
    file,
    write: (now: string) => Effect.orDie(fs.writeFileString(file, now)),
    now: fs.readFileString(file)
  }
})

const changesIn = (items: ReadonlyArray<{ readonly diff?: string }>) =>
  items.map(({ diff = "" }) => diff.split("\n").filter((line) => /^[-+]\w/.test(line)))

const second = (turn: number): string => `round-1/turn/second/attempt-${turn}`

describe("tasks of a section that change one file", () => {
  nodeTest("have their changes put together, and one question shows each on top of the one before", function* () {
    const run = yield* makeRun
    const approver = scriptedApprover({ steps: ["step"] })
    const answer = model({ First: edit("one", "1\n1a"), Second: edit("five", "5") })
    const { called, report, sent } = yield* run.session({ answer, approver: approver.layer })
    expect(yield* run.now).toBe("1\n1a\ntwo\nthree\nfour\n5\n")
    expect([report?.status, called]).toEqual(["done", ["First/change-1", "Second/joined-1-1"]])
    expect(sent.filter((key) => key.includes("second"))).toEqual([second(1), second(2)])
    const [items = []] = approver.asked
    expect(items.map(({ task }) => task)).toEqual(["First", "Second"])
    expect(changesIn(items)).toEqual([
      ["-one", "+1", "+1a"],
      ["-five", "+5"]
    ])

    const lines = report?.results.flatMap(({ files = [] }) => files.map((one) => [one.insertions, one.deletions]))
    expect(lines).toEqual([
      [2, 1],
      [1, 1]
    ])
    expect(yield* run.replay()).toMatchObject({ differences: [] })
  })

  nodeTest("give the later one a turn with the clash when both changed the same lines", function* () {
    const run = yield* makeRun
    const seen: Array<string> = []
    const approver = scriptedApprover({ steps: ["step"] })
    const answer = model({ First: edit("two", "TWO"), Second: edit("two", "2") }, ({ user }) => {
      seen.push(user)
      return edit("TWO", "TWO, or 2")
    })
    const { called, report, sent } = yield* run.session({ answer, approver: approver.layer })
    expect([report?.status, yield* run.now]).toEqual(["done", text.replace("two", "TWO, or 2")])
    expect(called).toEqual(["First/change-1", "Second/joined-1-1"])
    expect(sent.filter((key) => key.includes("second"))).toEqual([1, 2, 3, 4].map(second))
    expect(seen[0]).toContain("### a.txt, line 2, as it is now\n\n```text\none\nTWO\nthree\nfour\nfive\n```")
    expect(seen[0]).toContain("You had changed\n\n```text\ntwo\n```\n\nto\n\n```text\n2\n```")
    const [items = []] = approver.asked
    expect(changesIn(items)).toEqual([
      ["-two", "+TWO"],
      ["-TWO", "+TWO, or 2"]
    ])
    expect(yield* run.replay()).toMatchObject({ differences: [] })
  })

  nodeTest("makes nothing of a change that an earlier task made already", function* () {
    const run = yield* makeRun
    const answer = model({ First: edit("two", "2"), Second: edit("two", "2") })
    const { called, report } = yield* run.session({ answer, approver: willingApprover() })
    expect([report?.status, called, yield* run.now]).toEqual(["done", ["First/change-1"], text.replace("two", "2")])
    expect(JSON.stringify(report?.results[1]?.calls)).toContain("The file has this change already")
  })

  nodeTest("fails the later one, with the name of the file, when it has no turn left", function* () {
    const run = yield* makeRun
    const answer = model({ First: edit("two", "TWO"), Second: edit("two", "2") }, () => "I cannot.")
    const { report } = yield* run.session({ answer, approver: willingApprover() })
    expect(yield* run.now).toBe(text.replace("two", "TWO"))
    expect(report?.status).not.toBe("done")
    expect(report?.failures.map(({ reason, task }) => [task, reason])).toEqual([
      ["Second", expect.stringMatching(/^its change of a\.txt clashes with another change of the same lines: /)]
    ])
  })

  nodeTest("asks anew about the later change when the earlier one is left out", function* () {
    const run = yield* makeRun
    const approver = scriptedApprover({ steps: [{ chosen: [2] }, "step"] })
    const answer = model({ First: edit("one", "1"), Second: edit("five", "5") })
    const { report } = yield* run.session({ answer, approver: approver.layer })
    expect(yield* run.now).toBe(text.replace("five", "5"))
    expect(approver.asked[1]?.map(({ preview }) => preview)).toEqual([expect.stringContaining("-five\n+5")])
    expect(report?.results.map(({ calls, name }) => [name, calls.every(({ result }) => result.success)])).toEqual([
      ["First", false],
      ["Second", true]
    ])
  })

  const clashing = model({ First: edit("two", "TWO"), Second: edit("two", "2") }, () => edit("TWO", "TWO, or 2"))
  const kills = [
    ["settled", "round-1/refined/second", [second(3), second(4)]],
    ["outcome", second(3), [second(4)]],
    ["outcome", second(4), []],
    ["intent", "round-1/tool/second/joined-1-1", []],
    ["outcome", "round-1/tool/second/joined-1-1", []]
  ] as const
  for (const [type, key, sent] of kills) {
    nodeTest(`come to the same end when the run is killed after the ${type} of ${key}`, function* () {
      const run = yield* makeRun
      const whole = yield* run.session({ answer: clashing, approver: willingApprover() })
      const lost = yield* run.cutAfter(`${type} ${key}`)
      const isLost = (uid: string) => lost.includes(`outcome round-1/tool/${uid}`)
      if (isLost("second/joined-1-1")) {
        yield* run.write(isLost("first/change-1") ? text : text.replace("two", "TWO"))
      }
      const resumed = yield* run.session({ answer: clashing, approver: willingApprover() })
      expect(resumed.sent.filter((one) => one.includes("second"))).toEqual(sent)
      const summaries = (report = whole.report) => report?.results.map(({ result }) => result.summary)
      expect([resumed.report?.status, summaries(resumed.report)]).toEqual(["done", summaries()])
      expect(yield* run.now).toBe(text.replace("two", "TWO, or 2"))
    })
  }
})

const alone = (old: string, now: string, clash?: (prompt: FilledPrompt) => string) => {
  const answer = model({ First: edit(old, now) }, clash)
  return (prompt: FilledPrompt) =>
    stageName(prompt) === "creation" ? planOf([[{ name: "First", skill: "edit-files" }]]) : answer(prompt)
}

/** Approves everything, after `change` was made at the question with this number. */
const changing = (change: (count: number) => Effect.Effect<void>): ScriptedApprover => {
  const steps = ["step", "step", "step"] as const
  const approver: ScriptedApprover = scriptedApprover(
    { steps },
    Effect.suspend(() => change(approver.asked.length))
  )
  return approver
}

/** At the first question only. */
const once = (change: Effect.Effect<void>) => (count: number) => (count === 1 ? change : Effect.void)

describe("changes that fit each other and fail a check together", needs("bwrap"), () => {
  nodeTest("are a turn of the later task, which sees the check", function* () {
    const run = yield* makeRun
    yield* run.fs.writeFileString(`${run.project}/check.sh`, "if grep -q 1 a.txt; then ! grep 5 a.txt; fi\n")
    const first = model({ First: edit("one", "1"), Second: edit("five", "5") })
    const seen: Array<string> = []
    const answer = (prompt: FilledPrompt): string => {
      if (!prompt.user.includes("together they fail a check")) return first(prompt)
      seen.push(prompt.user)
      return seen.length === 1 ? edit("5", "V") : resultSaying("Second is done.")
    }
    const settings = { checks: ["sh check.sh"] }
    const approver = scriptedApprover({ calls: ["session"], steps: ["step"] })
    const { report } = yield* run.session({ answer, approver: approver.layer, settings })
    expect([report?.status, yield* run.now]).toEqual(["done", text.replace("one", "1").replace("five", "V")])
    /* The question shows the checks of each task with its changes. */
    expect(approver.asked.at(-1)?.map(({ facts, task }) => [task, facts])).toEqual([
      ["First", ["passed: `sh check.sh` (exit code 0)"]],
      ["Second", ["passed: `sh check.sh` (exit code 0)"]]
    ])
    expect(seen[0]).toContain("sh check.sh")
    expect(report?.results[1]?.checks?.map(({ exitCode }) => exitCode)).toEqual([0])
  })
})

describe("a file that somebody changes while a task works", () => {
  nodeTest("keeps both changes, and asks again about the file as it is", function* () {
    const run = yield* makeRun
    const { asked, layer } = changing(once(run.write(text.replace("one", "ONE"))))
    const { report } = yield* run.session({ answer: alone("five", "5"), approver: layer })
    expect([report?.status, yield* run.now]).toEqual(["done", text.replace("one", "ONE").replace("five", "5")])
    expect(asked).toHaveLength(2)
    expect(yield* run.replay()).toMatchObject({ differences: [] })
  })

  nodeTest("is a turn when the same lines changed", function* () {
    const run = yield* makeRun
    const { asked, layer } = changing(once(run.write(text.replace("two", "TWO"))))
    const { events, report } = yield* run.session({
      answer: alone("two", "2", () => edit("TWO", "2")),
      approver: layer
    })
    expect([report?.status, yield* run.now]).toEqual(["done", text.replace("two", "2")])
    expect(asked[1]?.[0]?.diff).toContain("-TWO\n+2")
    expect(events.flatMap((event) => (event.type === "message" ? [event.text] : []))).toContain(
      '"First": a.txt was changed meanwhile at the same lines; the task makes its change again.'
    )
  })
})
