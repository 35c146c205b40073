import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { plainTask, type Task } from "../../../src/domain/plan/Task.ts"
import { modelCallKey } from "../../../src/domain/runs/ActivityKey.ts"
import type { TaskOrder } from "../../../src/services/pipeline/TaskStage.ts"
import type { EventLog } from "../../support/EventLog.ts"
import { briefing, openStages, type OpenStages } from "../../support/OpenStages.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { looksWith, refinementWith, resultSaying } from "../../support/TestRun.ts"

const orderOf = (task: Task): TaskOrder => ({ briefing, task, round: 1, step: 0, finished: [] })
const task = plainTask("Edit 1", "edit-files", "Make the limit 10.", "The changed line.")

const files = { "src/limit.ts": "// The limit.\nexport const limit = 5\n", "src/other.ts": "export {}\n" }
const read = (path = "src/limit.ts") => ({ name: "read_file", arguments: { path } })
const edit = (old_text = "export const limit = 5", path = "src/limit.ts") => ({
  uid: "call-1",
  name: "edit_file",
  arguments: { path, old_text, new_text: "export const limit = 10" }
})

const open = (answers: ReadonlyArray<string>, more: Partial<OpenStages> = {}) =>
  openStages({
    files: { ...files, ...more.files },
    answers,
    ...(more.settings && { settings: more.settings }),
    ...(more.approver && { approver: more.approver })
  })

const rejectedIn = (log: EventLog["Service"]) =>
  log.events().flatMap((event) => (event.type === "answer.rejected" ? [event.issues.map(({ code }) => code)] : []))

const repairsIn = (log: EventLog["Service"]) =>
  log.events().flatMap((event) => (event.type === "answer.repaired" ? event.repairs.map(({ code }) => code) : []))

const sentIn = (log: EventLog["Service"]) =>
  log.events().flatMap((event) => (event.type === "model.started" ? [modelCallKey(event.call)] : []))

const skillOf = (name: string, passes: string, tools: string): Record<string, string> => ({
  [`.task-conductor/skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: Use it in tests.\nallowed-tools: ${tools}\nmetadata:\n  task-conductor.passes: "${passes}"\n---\n\n## Execution\n\nSay it.\n`
})

layer(NodeServices.layer)("a refinement in passes", (it) => {
  it.effect("shows the outputs of looks before the calls are written, with no more questions than any read", () =>
    Effect.gen(function* () {
      const approver = scriptedApprover({ calls: ["once"] })
      const { log, meter, prompts, refiner } = yield* open([looksWith([read()]), refinementWith([edit()])], {
        approver: approver.layer
      })
      const refinement = yield* refiner.refine(orderOf(task))
      const [looked] = refinement.looks ?? []
      expect(refinement.calls).toEqual([edit()])
      expect(looked?.call).toEqual({ ...read(), uid: "look-1/call-1" })
      expect(looked?.result.data).toContain("export const limit = 5")
      expect(approver.asked.flat().map(({ call }) => call)).toEqual([looked?.call])
      expect(sentIn(log)).toEqual(["round-1/refine/edit-1/attempt-1", "round-1/refine/edit-1/pass-2/attempt-1"])
      expect(prompts[0]!.user).not.toContain("## What was looked at")
      expect(prompts[1]!.user).toContain("### Tool call read_file (look-1/call-1)\n")
      expect(prompts[1]!.user).toContain("export const limit = 5")
      expect(log.events().flatMap(({ type }) => (/^t[ao]/.test(type) ? [type] : []))).toEqual([
        "task.looked",
        "tool.started",
        "tool.finished"
      ])
      expect((yield* meter.total).toolCalls).toBe(1)
    })
  )

  it.effect("pays for one call when the model needs no look", () =>
    Effect.gen(function* () {
      const { log, prompts, refiner } = yield* open([refinementWith([edit()])])
      expect(yield* refiner.refine(orderOf(task))).toEqual({ task, calls: [edit()] })
      expect(prompts.length).toBe(1)
      expect(prompts[0]!.system).toContain("Looks at most: 2.")
      expect(log.events().some(({ type }) => type === "task.looked")).toBe(false)
    })
  )

  it.effect("takes reading calls alone as a look when the task has to change something, and nowhere else", () =>
    Effect.gen(function* () {
      const { log, refiner } = yield* open([
        refinementWith([read()]),
        refinementWith([edit()]),
        refinementWith([read()])
      ])
      expect((yield* refiner.refine(orderOf(task))).calls).toEqual([edit()])
      expect(repairsIn(log).filter((code) => code !== "task-kept")).toEqual(["look-implied"])
      const reading = plainTask("Read 1", "any", "The limit.", "A number.")
      expect((yield* refiner.refine(orderOf(reading))).calls).toEqual([{ ...read(), uid: "call-1" }])
    })
  )

  it.effect("makes looks before calls that were written beside them, and lets these be written anew", () =>
    Effect.gen(function* () {
      const both = `${looksWith([read()])}\n\n${refinementWith([edit("from memory")])}`
      const { log, refiner } = yield* open([both, refinementWith([edit()])])
      expect((yield* refiner.refine(orderOf(task))).calls).toEqual([edit()])
      expect(rejectedIn(log)).toEqual([])
      expect(repairsIn(log)).toContain("calls-postponed")
    })
  )

  it.effect("ends looking with the last pass, and says so", () =>
    Effect.gen(function* () {
      const { log, prompts, refiner } = yield* open([
        looksWith([{ name: "search_files", arguments: { pattern: "limit" } }]),
        looksWith([read()]),
        looksWith([read("src/other.ts")]),
        refinementWith([{ ...edit(), uid: "look-1/call-1" }])
      ])
      const refinement = yield* refiner.refine(orderOf(task))
      expect(refinement.looks?.map(({ call }) => call.uid)).toEqual(["look-1/call-1", "look-2/call-1"])
      expect(refinement.calls).toEqual([edit()])
      expect(rejectedIn(log)).toEqual([["look-over"]])
      // The server has read the system part before.
      expect(new Set(prompts.map(({ system }) => system)).size).toBe(1)
      expect(prompts.map(({ user }) => user.includes("you cannot look again"))).toEqual([false, false, true, true])
      expect(prompts[2]!.user).toContain("(look-1/call-1)\n")
      expect(prompts[3]!.user).toContain("## Look first")
    })
  )

  it.effect("does not make the same look twice", () =>
    Effect.gen(function* () {
      const { log, refiner } = yield* open([looksWith([read()]), looksWith([read()]), refinementWith([edit()])])
      expect((yield* refiner.refine(orderOf(task))).looks?.length).toBe(1)
      expect(rejectedIn(log)).toEqual([["look-repeated"]])
    })
  )

  it.effect("never makes a look that changes something", () =>
    Effect.gen(function* () {
      const { log, refiner } = yield* open([looksWith([read(), edit()]), refinementWith([edit()])])
      expect((yield* refiner.refine(orderOf(task))).looks).toBeUndefined()
      expect(rejectedIn(log)).toEqual([["look-changes"]])
      expect(log.events().some(({ type }) => type === "tool.started")).toBe(false)
    })
  )

  it.effect("lets a skill forbid looks, and offers none to a skill that has nothing to look with", () =>
    Effect.gen(function* () {
      const { log, prompts, refiner } = yield* open(
        [
          looksWith([read()]),
          refinementWith([read()]),
          refinementWith([{ name: "write_file", arguments: { path: "a", content: "b" } }])
        ],
        { files: { ...skillOf("once", "1", "read_file write_file"), ...skillOf("blind", "4", "write_file") } }
      )
      expect((yield* refiner.refine(orderOf(plainTask("Once 1", "once", "It.", "It.")))).calls.length).toBe(1)
      expect(rejectedIn(log)).toEqual([["look-over"]])
      expect((yield* refiner.refine(orderOf(plainTask("Blind 1", "blind", "It.", "It.")))).calls.length).toBe(1)
      expect(prompts.some(({ system }) => system.includes("Look first"))).toBe(false)
    })
  )

  it.effect("shows the outcome of a look that failed or was denied", () =>
    Effect.gen(function* () {
      const { prompts, refiner } = yield* open(
        [looksWith([read("src/none.ts")]), looksWith([read("/etc/hostname")]), refinementWith([edit()])],
        { approver: scriptedApprover({ calls: ["once", "deny"] }).layer }
      )
      const { looks = [] } = yield* refiner.refine(orderOf(task))
      expect(looks.map(({ result }) => result.error_type)).toEqual(["not_found", "permission_denied"])
      expect(prompts[1]!.user).toContain("ERROR (not_found)")
      expect(prompts[2]!.user).toContain("ERROR (permission_denied)")
    })
  )

  it.effect("fits what it looked at into the window", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 400 }, (_, line) => `export const value${line} = ${line}`).join("\n")
      const { prompts, refiner } = yield* open(
        [looksWith([read("src/long.ts")]), refinementWith([edit("export const value3 = 3", "src/long.ts")])],
        { files: { "src/long.ts": `${long}\n` }, settings: { contextWindow: 8192 } }
      )
      expect((yield* refiner.refine(orderOf(task))).calls.length).toBe(1)
      expect(prompts[1]!.user.length + prompts[1]!.system.length).toBeLessThan(8192 * 4)
    })
  )

  it.effect("gives what it looked at to the execution, which does not read it again", () =>
    Effect.gen(function* () {
      const { log, prompts, refiner, taskRunner } = yield* open([
        looksWith([read()]),
        refinementWith([edit()]),
        resultSaying("Done.")
      ])
      const refinement = yield* refiner.refine(orderOf(task))
      const result = yield* taskRunner.run({ briefing, refinement, round: 1, step: 0, finished: [] })
      expect(result.calls.map(({ call }) => call.uid)).toEqual(["look-1/call-1", "call-1"])
      const order = ["## What was looked at", "(look-1/call-1)", "## What was done", "edit_file (call-1)"]
      const at = order.map((text) => prompts[2]!.user.indexOf(text))
      expect(at).toEqual(at.toSorted((a, b) => a - b))
      expect(at[0]).toBeGreaterThan(-1)
      expect(log.events().flatMap((event) => (event.type === "tool.started" ? [event.id.uid] : []))).toEqual([
        "look-1/call-1",
        "call-1"
      ])
    })
  )
})

layer(NodeServices.layer)("calls that would fail", (it) => {
  it.effect("are an issue with the lines that are there, before anybody is asked", () =>
    Effect.gen(function* () {
      const { log, prompts, refiner } = yield* open([
        refinementWith([edit("export const limit  =  5;")]),
        refinementWith([edit()])
      ])
      expect((yield* refiner.refine(orderOf(task))).calls).toEqual([edit()])
      expect(rejectedIn(log)).toEqual([["tool-call-unfit"]])
      expect(prompts[1]!.user).toContain("Line 2 is nearest")
      expect(prompts[1]!.user).toContain("copy from here exactly:\nexport const limit = 5\n")
    })
  )

  const rejected = [
    ["a text that stands there twice", edit("ex"), "occurs 2 times in src/two.ts, at lines 1, 2", "src/two.ts"],
    ["a file that does not exist", edit("a", "src/none.ts"), "There is no file at"],
    [
      "a write to a folder",
      { name: "write_file", arguments: { path: "src", content: "a" } },
      "is a folder, not a file"
    ],
    [
      "a write below a file",
      { name: "write_file", arguments: { path: "src/limit.ts/a.ts", content: "a" } },
      "A part of the path is a file"
    ]
  ] as const
  for (const [what, call, text, path] of rejected) {
    it.effect(`are found: ${what}`, () =>
      Effect.gen(function* () {
        const wrong = path === undefined ? call : { ...call, arguments: { ...call.arguments, path } }
        const { prompts, refiner } = yield* open([refinementWith([wrong]), refinementWith([edit()])], {
          files: { "src/two.ts": "export {}\nex\n" }
        })
        yield* refiner.refine(orderOf(task))
        expect(prompts[1]!.user).toContain(`(${wrong.name} ${wrong.arguments.path}) would fail.`)
        expect(prompts[1]!.user).toContain(text)
      })
    )
  }

  it.effect("are those of the text that is there, unless an earlier call of the task replaces it", () =>
    Effect.gen(function* () {
      const write = { uid: "call-1", name: "write_file", arguments: { path: "src/new.ts", content: "const a = 1\n" } }
      const after = { ...edit("const a = 1", "src/new.ts"), uid: "call-2" }
      const { log, refiner } = yield* open([refinementWith([write, after])])
      expect((yield* refiner.refine(orderOf(task))).calls).toEqual([write, after])
      expect(rejectedIn(log)).toEqual([])
    })
  )
})
