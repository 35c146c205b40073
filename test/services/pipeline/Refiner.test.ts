import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { defaultLimits } from "../../../src/domain/configuration/Limits.ts"
import type { Reference } from "../../../src/domain/plan/Reference.ts"
import { plainTask, Task } from "../../../src/domain/plan/Task.ts"
import { TaskFailure } from "../../../src/domain/plan/TaskResult.ts"
import type { TaskOrder } from "../../../src/services/pipeline/TaskStage.ts"
import { EventLog } from "../../support/EventLog.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { refinementWith } from "../../support/TestRun.ts"

const orderOf = (task: Task): TaskOrder => ({ briefing, task, round: 1, step: 0, finished: [] })

const planned = plainTask("Look 1", "any", "The text.", "A word.")
const read = { uid: "call-1", name: "read_file", arguments: { path: "a.txt" } }
const files = { "a.txt": "Hello.\n" }

/** The codes of the issues of each rejected answer. */
const rejectedIn = (log: EventLog["Service"]) =>
  log.events().flatMap((event) => (event.type === "answer.rejected" ? [event.issues.map(({ code }) => code)] : []))

/** A skill that takes typed inputs and needs no tool. */
const typed = `---
name: typed
description: Takes inputs. Use it in tests.
allowed-tools: ""
---

## Input requirements

- \`file\` (path, required): The file.
- \`word\` (text, required): The word.

## Execution

Say something.
`

const reference = (path: string): Reference => ({ kind: "file", title: path, href: path, target: path })
const referring = new Task({ ...planned, references: [reference("b.txt")] })
const taskWith = (references: string): string =>
  `## Task\n\n- **What is needed** The text.\n- **References** ${references}\n- **Expected output** A word.`
const unusable = { ...read, arguments: { file_of: 1 } }

layer(NodeServices.layer)("Refiner", (it) => {
  it.effect(
    "takes the calls and the more exact text, and keeps the planned name and skill when the answer names others",
    () =>
      Effect.gen(function* () {
        const fields =
          "- **Name** Other\n- **What is needed** The whole text.\n- **Skill** talk\n- **Expected output** Two."
        const { log, refiner } = yield* openStages({
          files,
          answers: [`## Task\n\n${fields}\n\n${refinementWith([read])}`]
        })
        expect(yield* refiner.refine(orderOf(planned))).toEqual({
          task: plainTask("Look 1", "any", "The whole text.", "Two."),
          calls: [read]
        })
        const repairs = log.events().flatMap((event) => (event.type === "answer.repaired" ? event.repairs : []))
        expect(repairs.map(({ code }) => code)).toEqual(["name-kept", "skill-kept"])
      })
  )

  it.effect.each([
    {
      name: "that it calls none",
      answers: [`${taskWith("none")}\n\n${refinementWith([read])}`],
      references: ["b.txt"],
      repairs: ["references-kept", "references-none"]
    },
    {
      name: "that a rejected answer left out",
      answers: [`${taskWith("none")}\n\n${refinementWith([unusable])}`, refinementWith([read])],
      references: ["b.txt"],
      repairs: []
    },
    {
      name: "beside those that it adds",
      answers: [`## Added references\n\n- [a](a.txt)\n\n${refinementWith([read])}`],
      references: ["b.txt", "a.txt"],
      repairs: []
    },
    {
      name: "without one that a rejected answer added and that does not exist",
      answers: [`## Added references\n\n- [c](c.txt)\n\n${refinementWith([read])}`, refinementWith([read])],
      references: ["b.txt"],
      repairs: []
    },
    {
      name: "unless it lists others, and says so",
      answers: [`${taskWith("[a](a.txt)")}\n\n${refinementWith([read])}`],
      references: ["a.txt"],
      repairs: ["reference-dropped"]
    }
  ])("keeps the references of the plan, $name", ({ answers, references, repairs }) =>
    Effect.gen(function* () {
      const { log, prompts, refiner } = yield* openStages({ files: { ...files, "b.txt": "B.\n" }, answers })
      const refined = yield* refiner.refine(orderOf(referring))
      expect(refined.task.references.map(({ href }) => href)).toEqual(references)
      const repaired = log.events().flatMap((event) => (event.type === "answer.repaired" ? event.repairs : []))
      expect(repaired.map(({ code }) => code)).toEqual(repairs)
      for (const { user } of prompts) expect(user).toContain("- **References** [b.txt](b.txt)")
    })
  )

  it.effect("shows the map of the project", () =>
    Effect.gen(function* () {
      const { prompts, refiner } = yield* openStages({ files, answers: [refinementWith([read])] })
      const mapped = { ...briefing, projectMap: "Main files: `a.txt`." }
      yield* refiner.refine({ ...orderOf(planned), briefing: mapped })
      expect(prompts.map(({ system }) => /^## Env[^]*?(?=\n\n# Stage)/m.exec(system)?.[0])).toEqual([
        "## Environment\n\n- Date: 2026-11-20\n\n## Project map\n\nMain files: `a.txt`."
      ])
    })
  )

  it.effect("names no line of an answer in a retry, since it does not show the answer, and quotes instead", () =>
    Effect.gen(function* () {
      const call = '```json\n{ "uid": "call-1", "name": "read_file", "arguments": { "path": ... } }\n```'
      const { log, prompts, refiner } = yield* openStages({
        files,
        answers: [`\n\n## Task\n\n## Tool Calls\n\n${call}\n`, refinementWith([read])]
      })
      yield* refiner.refine(orderOf(planned))
      const lines = log
        .events()
        .flatMap((event) => (event.type === "answer.rejected" ? event.issues.map(({ where }) => where.line) : []))
      const [, told = ""] = prompts[1]!.user.split("## Issues with the current call\n\n")
      expect(lines).toEqual([7, undefined])
      expect(told).toContain('1. In section "Tool Calls": The block is not valid JSON: where it says `... } }`')
      expect(told).toContain('You wrote: `{ "uid": "call-1"')
      expect(told).not.toMatch(/line \d/)
    })
  )

  it.effect("asks no model about a task whose skill has neither tools nor inputs", () =>
    Effect.gen(function* () {
      const { prompts, refiner } = yield* openStages()
      const task = plainTask("Talk 1", "talk", "A word.", "A word.")
      expect(yield* refiner.refine(orderOf(task))).toEqual({ task, calls: [] })
      expect(prompts).toEqual([])
    })
  )

  it.effect("refuses a task whose skill does not exist", () =>
    Effect.gen(function* () {
      const { refiner } = yield* openStages()
      const task = plainTask("Look 1", "unheard-of", "The text.", "A word.")
      expect(yield* Effect.flip(refiner.refine(orderOf(task)))).toEqual(
        new TaskFailure({
          task: "Look 1",
          phase: "refinement",
          reason: 'There is no skill "unheard-of".',
          skipped: false
        })
      )
    })
  )

  it.effect("keeps the inputs of a rejected answer that the next answer leaves out", () =>
    Effect.gen(function* () {
      const { log, prompts, refiner } = yield* openStages({
        files: { ...files, ".task-conductor/skills/typed/SKILL.md": typed },
        answers: [
          "## Inputs\n\n- `file`: missing.txt\n- `word`: hello\n\n## Tool Calls\n",
          "## Inputs\n\n- `file`: a.txt\n\n## Tool Calls\n"
        ]
      })
      const task = plainTask("Look 1", "typed", "The text.", "A word.")
      expect(yield* refiner.refine(orderOf(task))).toEqual({
        task,
        inputs: [
          { name: "file", value: "a.txt" },
          { name: "word", value: "hello" }
        ],
        calls: []
      })
      expect(rejectedIn(log)).toEqual([["input-path-missing"]])
      expect(prompts[0]!.user).not.toContain("## Issues with the current call")
      expect(prompts[1]!.user).toContain("- `word`: hello")
      expect(prompts[1]!.user).toContain("## Issues with the current call\n\n1. ")
    })
  )

  it.effect("rejects a call that is repeated up to the limit, and a tool that the skill does not allow", () =>
    Effect.gen(function* () {
      const again = { ...read, uid: "call-2" }
      const { log, refiner } = yield* openStages({
        files,
        settings: { limits: { ...defaultLimits, attempts: 2, identicalCalls: 2 } },
        answers: [refinementWith([read, again]), refinementWith([{ name: "get_file_tree", arguments: {} }])]
      })
      const failure = yield* Effect.flip(refiner.refine(orderOf(planned)))
      expect(rejectedIn(log)).toEqual([["tool-call-repeated"], ["tool-not-allowed"]])
      expect([failure.task, failure.phase, failure.skipped, failure.cause]).toEqual([
        "Look 1",
        "refinement",
        false,
        { _tag: "NoValidAnswer", attempts: 2, repeated: false }
      ])
      expect(failure.reason).toMatch(/^no valid tool calls after 2 tries\. Last issues: /)
    })
  )

  it.effect("wants a call or a reference, and takes a task with a reference and no call", () =>
    Effect.gen(function* () {
      const fields = "- **What is needed** The text.\n- **References** [A](a.txt)\n- **Expected output** A word."
      const { log, refiner } = yield* openStages({
        files,
        answers: [refinementWith([]), `## Task\n\n${fields}\n\n## Tool Calls\n`]
      })
      expect(yield* refiner.refine(orderOf(planned))).toEqual({
        task: plainTask("Look 1", "any", "The text.", "A word.", {
          references: [{ kind: "file", title: "A", href: "a.txt", target: "a.txt" }]
        }),
        calls: []
      })
      expect(rejectedIn(log)).toEqual([["tool-call-missing"]])
    })
  )
})
