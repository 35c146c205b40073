import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mostUselessAnswers } from "../../../src/domain/documents/UselessAnswers.ts"
import { willingApprover } from "../../support/ScriptedApprover.ts"
import { runScript, type Script, scripted, taskOf } from "../../support/ScriptedRun.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

const editing = (path: string, from: string, to: string) =>
  refinementWith([{ name: "edit_file", arguments: { path, edits: [{ old_text: from, new_text: to }] } }])

/** Both edits can be made when they are checked; the first one takes the text of the second. */
const editingTwice = (path: string) =>
  refinementWith(["1", "2"].map((new_text) => ({ name: "edit_file", arguments: { path, old_text: "one", new_text } })))

const files = { "a.txt": "one\ntwo\n", "b.txt": "three\n" }
const options = { files, approver: willingApprover() }
const ends = ({ report }: { readonly report: { readonly status: string; readonly message: string } }) => [
  report.status,
  report.message
]

describe("a change that failed", () => {
  const blind: Script = {
    plan: () => planOf([[{ name: "Edit 1", skill: "edit-files" }]]),
    refine: () => editingTwice("./a.txt"),
    execute: () => resultSaying("Changed a.txt.")
  }

  it.effect("makes the run failed, although the model calls it done, and says what to do", () =>
    Effect.gen(function* () {
      const ended = yield* runScript()
      expect(ended.report.status).toBe("failed")
      expect(ended.report.message).toMatch(
        /^"Edit 1" did not change a\.txt \(edit_file\)\. It failed: Nothing was changed\./
      )
      expect(ended.report.message).toContain('task-conductor fork run-1 --from "Edit 1"')
      expect(ended.events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 1 })
    }).pipe(scripted(blind, options))
  )

  it.effect("is told to the iteration and to the conclusion", () => {
    const seen: Array<string> = []
    const note = (answer: string) => (prompt: string) => {
      seen.push(/## Changes that were not made\n\n(.*)/.exec(prompt)?.[1] ?? "")
      return answer
    }
    return Effect.gen(function* () {
      yield* runScript()
      expect(seen.length).toBe(2)
      for (const line of seen) expect(line).toMatch(/^- "Edit 1" did not change a\.txt \(edit_file\)\. It failed: /)
    }).pipe(scripted({ ...blind, iterate: note(planOf([])), conclude: note("Half of it.") }, options))
  })

  it.effect("is made up for by a later round that changes the same file, however its path is written", () =>
    Effect.gen(function* () {
      expect(ends(yield* runScript())).toEqual(["done", ""])
    }).pipe(
      scripted(
        {
          ...blind,
          iterate: (_, count) => planOf(count === 1 ? [[{ name: "Edit 2", skill: "edit-files" }]] : []),
          refine: (prompt) => (taskOf(prompt) === "Edit 1" ? editingTwice("./a.txt") : editing("a.txt", "two", "2"))
        },
        options
      )
    )
  )

  it.effect("is not made up for by a change of another file", () =>
    Effect.gen(function* () {
      const { report } = yield* runScript()
      expect([report.status, report.message.includes("a.txt (edit_file)")]).toEqual(["failed", true])
    }).pipe(
      scripted(
        {
          ...blind,
          iterate: (_, count) => planOf(count === 1 ? [[{ name: "Edit 2", skill: "edit-files" }]] : []),
          refine: (prompt) => (taskOf(prompt) === "Edit 1" ? editingTwice("a.txt") : editing("b.txt", "three", "3"))
        },
        options
      )
    )
  )

  it.effect("is not made up for by another call of the same task on the same file", () =>
    Effect.gen(function* () {
      expect((yield* runScript()).report.status).toBe("failed")
    }).pipe(
      scripted(
        {
          ...blind,
          refine: () => editingTwice("a.txt")
        },
        options
      )
    )
  )

  it.effect("is no change when only a reading call failed", () =>
    Effect.gen(function* () {
      expect(ends(yield* runScript())).toEqual(["done", ""])
    }).pipe(
      scripted({ refine: () => refinementWith([{ name: "read_file", arguments: { path: "none.txt" } }]) }, options)
    )
  )
})

const plan = () => planOf([[{ name: "Edit 1", skill: "edit-files" }]])

/** It is for changes, and does not say how often it may look: reading alone is taken for its work. */
const careful = `---
name: careful
description: Changes files. Use it in tests.
allowed-tools: edit_file read_file
metadata:
  task-conductor.requires-approval: "true"
---

## Execution

Say what changed.
`

describe("a task whose skill is for changes", () => {
  it.effect("does not end as done when none of its calls changes anything", () =>
    Effect.gen(function* () {
      const [status, message] = ends(yield* runScript())
      expect(status).toBe("failed")
      expect(message).toContain('"Edit 1" did not change anything. None of its calls changes anything')
    }).pipe(
      scripted(
        {
          plan: () => planOf([[{ name: "Edit 1", skill: "careful" }]]),
          refine: () => refinementWith([{ name: "read_file", arguments: { path: "a.txt" } }])
        },
        { ...options, files: { ...files, ".task-conductor/skills/careful/SKILL.md": careful } }
      )
    )
  )

  it.effect("is still missing when it failed and the iteration dropped it", () =>
    Effect.gen(function* () {
      const { report } = yield* runScript()
      expect([report.status, report.rounds]).toEqual(["failed", 2])
      expect(report.message).toContain('"Edit 1" did not change anything. no valid tool calls')
    }).pipe(
      scripted(
        {
          plan,
          refine: (prompt, count) =>
            taskOf(prompt) === "Edit 1"
              ? refinementWith([{ name: `fly_${count}`, arguments: {} }])
              : refinementWith([{ name: "get_current_time", arguments: {} }]),
          iterate: (_, count) => planOf(count === 1 ? [[{ name: "Look 1" }]] : [])
        },
        options
      )
    )
  )
})

const counting = `---
name: count
description: Counts words. Use it in tests.
allowed-tools: count_words
---

## Refinement

Count.

## Execution

Say how many.
`
const half = counting.replace("name: count", "name: half").replace("count_words", "count_words get_current_time")
const withSkills = {
  files: { ".task-conductor/skills/count/SKILL.md": counting, ".task-conductor/skills/half/SKILL.md": half }
}

describe("a skill whose tools are missing", () => {
  it.effect("ends a run with that skill before anything is asked, and names the tool", () =>
    Effect.gen(function* () {
      const { events, report } = yield* runScript({ skill: "count" })
      expect([report.status, report.message]).toEqual([
        "no_valid_plan",
        'The skill "count" cannot work: there is no tool count_words. Name the plugin or the server that has it with --plugin or in the configuration, or use another skill.'
      ])
      expect(events.filter(({ type }) => type === "model.started")).toEqual([])
      expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 3 })
    }).pipe(scripted({}, withSkills))
  )

  it.effect("is an issue of a plan that names it", () =>
    Effect.gen(function* () {
      const { report } = yield* runScript({ plan: planOf([[{ name: "Count 1", skill: "count" }]]) })
      expect([report.status, report.issues.map(({ code }) => code)]).toEqual(["no_valid_plan", ["skill-unknown"]])
      expect(report.issues[0]?.what).toMatch(/^The skill "count" cannot work: there is no tool count_words\./)
    }).pipe(scripted({}, withSkills))
  )

  it.effect("is a warning when it can work with the others", () =>
    Effect.gen(function* () {
      const { events, report } = yield* runScript({ skill: "half" })
      expect(report.status).toBe("done")
      expect(
        events.flatMap((event) => (event.type === "message" ? [[event.level, event.text.split(". ")[0]]] : []))
      ).toEqual([["warning", 'The skill "half" works without a part of its tools: there is no tool count_words']])
    }).pipe(scripted({}, withSkills))
  )
})

describe("a task that failed and finished later", () => {
  it.effect("stands only as finished in the report and in the conclusion", () => {
    const conclusions: Array<string> = []
    return Effect.gen(function* () {
      const { report } = yield* runScript()
      expect([report.status, report.rounds, report.failures, report.results.map(({ name }) => name)]).toEqual([
        "done",
        2,
        [],
        ["Research 1"]
      ])
      expect(conclusions.map((prompt) => prompt.includes("## Tasks that failed"))).toEqual([false])
    }).pipe(
      scripted({
        execute: (_, count) => (count <= mostUselessAnswers ? "No heading." : resultSaying("Found.")),
        iterate: (_, count) => planOf(count === 1 ? [[{ name: "Research 1" }]] : []),
        conclude: (prompt) => {
          conclusions.push(prompt)
          return "Here it is."
        }
      })
    )
  })
})

describe("a task that proposed its change and then failed for its words", () => {
  it.effect("is told to the iteration without the change, which was not made, and leaves the run failed", () => {
    const seen: Array<string> = []
    return Effect.gen(function* () {
      const { report } = yield* runScript()
      expect(report.status).toBe("failed")
      expect(seen).toHaveLength(1)
      expect(seen[0]).toContain("no valid result after 3 tries")
      expect(seen[0]).not.toContain("these calls were made and succeeded")
    }).pipe(
      scripted(
        {
          plan: () => planOf([[{ name: "Edit 1", skill: "edit-files" }]]),
          refine: () => editing("a.txt", "one", "1"),
          execute: (_, count) => (count <= mostUselessAnswers ? "No heading." : resultSaying("Looked.")),
          iterate: (prompt, count) => {
            if (count === 1) seen.push(/## Tasks that failed\n\n(.*)/.exec(prompt)?.[1] ?? "")
            return planOf(count === 1 ? [[{ name: "Look 1", skill: "talk" }]] : [])
          }
        },
        options
      )
    )
  })

  it.effect("misses the changes of calls that failed", () =>
    Effect.gen(function* () {
      const { report } = yield* runScript()
      expect([report.status, report.message.includes("Edit 1")]).toEqual(["failed", true])
    }).pipe(
      scripted(
        {
          plan: () => planOf([[{ name: "Edit 1", skill: "edit-files" }]]),
          refine: () => editingTwice("a.txt"),
          execute: (_, count) => (count <= mostUselessAnswers ? "No heading." : resultSaying("Looked.")),
          iterate: (_, count) => planOf(count === 1 ? [[{ name: "Look 1", skill: "talk" }]] : [])
        },
        options
      )
    )
  )
})

describe("a result that says that a part is missing", () => {
  const partial: Script = {
    plan: () => planOf([[{ name: "Look 1" }]]),
    execute: (_, count) => resultSaying(count === 1 ? "**Partly done.** The second file was not found." : "Found it.")
  }

  it.effect("makes the run failed when nothing more is planned", () => {
    let seen = ""
    const iterate = (prompt: string) => {
      seen = prompt
      return planOf([])
    }
    return Effect.gen(function* () {
      const [status, message] = ends(yield* runScript())
      expect(status).toBe("failed")
      expect(message).toBe(
        '"Look 1" gave no result for a part of it. Its result says: **Partly done.** The second file was not found.\nTry the task again: task-conductor fork run-1 --from "Look 1"'
      )
      expect(seen).toContain(
        '## Results that are missing\n\n- "Look 1" gave no result for a part of it. Its result says:'
      )
    }).pipe(scripted({ ...partial, iterate }, options))
  })

  it.effect("is made up for by a whole result of the same skill in a later round", () =>
    Effect.gen(function* () {
      expect(ends(yield* runScript())).toEqual(["done", ""])
    }).pipe(scripted({ ...partial, iterate: (_, count) => planOf(count === 1 ? [[{ name: "Look 2" }]] : []) }, options))
  )
})
