import { describe, expect } from "@effect/vitest"
import { mostUselessAnswers } from "../../../src/domain/documents/UselessAnswers.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { willingApprover } from "../../support/ScriptedApprover.ts"
import { type Script, scriptedRun, taskOf } from "../../support/ScriptedRun.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

const editing = (path: string, from: string, to: string) =>
  refinementWith([{ name: "edit_file", arguments: { path, edits: [{ old_text: from, new_text: to }] } }])

/** Both edits can be made when they are checked; the first one takes the text of the second. */
const editingTwice = (path: string) =>
  refinementWith(["1", "2"].map((new_text) => ({ name: "edit_file", arguments: { path, old_text: "one", new_text } })))

const files = { "a.txt": "one\ntwo\n", "b.txt": "three\n" }
const options = { files, approver: willingApprover() }
const clock = refinementWith([{ name: "get_current_time", arguments: {} }])
const read = (path: string) => refinementWith([{ name: "read_file", arguments: { path } }])

const edit = (name: string) => planOf([[{ name, skill: "edit-files" }]])
/** A plan for the second round, and none for the third. */
const then =
  (plan: string): NonNullable<Script["iterate"]> =>
  (_, count) =>
    count === 1 ? plan : planOf([])

const failing: Script = {
  plan: () => edit("Edit 1"),
  refine: () => editingTwice("./a.txt"),
  execute: () => resultSaying("Changed a.txt.")
}
/** The edit of the second task changes the same file again. */
const editOf = (prompt: string) =>
  taskOf(prompt) === "Edit 1" ? editingTwice("./a.txt") : editing("a.txt", "two", "2")
/** No report of a task can be used at first. */
const wordless: Script["execute"] = (_, count) => (count <= mostUselessAnswers ? "No heading." : resultSaying("Found."))

describe("a change that failed", () => {
  nodeTest("makes the run failed, although the model calls it done, and is told in later prompts", function* () {
    const seen: Array<string> = []
    const note = (answer: string) => (prompt: string) => {
      seen.push(/## Changes that were not made\n\n(.*)/.exec(prompt)?.[1] ?? "")
      return answer
    }
    const script = { ...failing, iterate: note(planOf([])), conclude: note("Half of it.") }
    const { events, report } = yield* scriptedRun(script, options)
    const what = '"Edit 1" did not change a.txt (edit_file). It failed: '
    expect(report.status).toBe("failed")
    expect(report.message.startsWith(`${what}Nothing was changed.`)).toBe(true)
    expect(report.message).toContain('task-conductor fork run-1 --from "Edit 1"')
    expect(events.at(-1)).toMatchObject({ type: "run.finished", exitCode: 1 })
    expect(seen.map((line) => line.startsWith(`- ${what}`))).toEqual([true, true])
  })

  nodeTest("is made up for by a later round that changes the same file, however its path is written", function* () {
    const { report } = yield* scriptedRun({ ...failing, iterate: then(edit("Edit 2")), refine: editOf }, options)
    expect([report.status, report.message]).toEqual(["done", ""])
  })

  nodeTest("is no change when only a reading call failed", function* () {
    const { report } = yield* scriptedRun({ refine: () => read("none.txt") }, options)
    expect([report.status, report.message]).toEqual(["done", ""])
  })
})

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
  nodeTest("does not end as done when none of its calls changes anything", function* () {
    const { report } = yield* scriptedRun(
      { plan: () => planOf([[{ name: "Edit 1", skill: "careful" }]]), refine: () => read("a.txt") },
      { ...options, files: { ...files, ".task-conductor/skills/careful/SKILL.md": careful } }
    )
    expect(report.status).toBe("failed")
    expect(report.message).toContain('"Edit 1" did not change anything. None of its calls changes anything')
  })

  nodeTest("is still missing when it failed and the iteration dropped it", function* () {
    const { report } = yield* scriptedRun(
      {
        plan: () => edit("Edit 1"),
        refine: (prompt, count) =>
          taskOf(prompt) === "Edit 1" ? refinementWith([{ name: `fly_${count}`, arguments: {} }]) : clock,
        iterate: then(planOf([[{ name: "Look 1" }]]))
      },
      options
    )
    expect([report.status, report.rounds]).toEqual(["failed", 2])
    expect(report.message).toContain('"Edit 1" did not change anything. no valid tool calls')
  })
})

const skillOf = (name: string, tools: string) =>
  `---\nname: ${name}\ndescription: Counts. Use it in tests.\nallowed-tools: ${tools}\n---\n\n## Execution\n\nSay how many.\n`
const withSkills = {
  files: {
    ".task-conductor/skills/count/SKILL.md": skillOf("count", "count_words"),
    ".task-conductor/skills/half/SKILL.md": skillOf("half", "count_words get_current_time")
  }
}

describe("a skill whose tools are missing", () => {
  nodeTest("is an issue of a plan that names it", function* () {
    const plan = planOf([[{ name: "Count 1", skill: "count" }]])
    const { report } = yield* scriptedRun({}, withSkills, { plan })
    expect([report.status, report.issues.map(({ code }) => code)]).toEqual(["no_valid_plan", ["skill-unknown"]])
    expect(report.issues[0]?.what).toMatch(/^The skill "count" cannot work: there is no tool count_words\./)
  })

  nodeTest("is a warning when it can work with the others", function* () {
    const { events, report } = yield* scriptedRun({}, withSkills, { skill: "half" })
    expect(report.status).toBe("done")
    const messages = events.flatMap((event) => (event.type === "message" ? [event] : []))
    expect(messages.map(({ level, text }) => [level, text.split(". ")[0]])).toEqual([
      ["warning", 'The skill "half" works without a part of its tools: there is no tool count_words']
    ])
  })
})

describe("a task that failed for its words", () => {
  nodeTest("and finished later stands only as finished in the report and in the conclusion", function* () {
    const conclusions: Array<string> = []
    const { report } = yield* scriptedRun({
      execute: wordless,
      iterate: then(planOf([[{ name: "Research 1" }]])),
      conclude: (prompt) => {
        conclusions.push(prompt)
        return "Here it is."
      }
    })
    const results = report.results.map(({ name }) => name)
    expect([report.status, report.rounds, report.failures, results]).toEqual(["done", 2, [], ["Research 1"]])
    expect(conclusions.map((prompt) => prompt.includes("## Tasks that failed"))).toEqual([false])
  })

  nodeTest("is told to the iteration without its change, which was not made, and leaves the run failed", function* () {
    let seen = ""
    const { report } = yield* scriptedRun(
      {
        plan: () => edit("Edit 1"),
        refine: () => editing("a.txt", "one", "1"),
        execute: wordless,
        iterate: (prompt, count) => {
          if (count === 1) seen = /## Tasks that failed\n\n(.*)/.exec(prompt)?.[1] ?? ""
          return planOf(count === 1 ? [[{ name: "Look 1", skill: "talk" }]] : [])
        }
      },
      options
    )
    expect([report.status, report.message.includes("Edit 1")]).toEqual(["failed", true])
    expect(seen).toContain("no valid result after 3 tries")
    expect(seen).not.toContain("these calls were made and succeeded")
  })
})

describe("a result that says that a part is missing", () => {
  const why = '"Look 1" gave no result for a part of it. Its result says:'
  const partial: Script = {
    plan: () => planOf([[{ name: "Look 1" }]]),
    execute: (_, count) => resultSaying(count === 1 ? "**Partly done.** The second file was not found." : "Found it.")
  }

  nodeTest("makes the run failed when nothing more is planned", function* () {
    let seen = ""
    const iterate = (prompt: string) => {
      seen = prompt
      return planOf([])
    }
    const { report } = yield* scriptedRun({ ...partial, iterate }, options)
    expect([report.status, report.message]).toEqual([
      "failed",
      `${why} **Partly done.** The second file was not found.\nTry the task again: task-conductor fork run-1 --from "Look 1"`
    ])
    expect(seen).toContain(`## Results that are missing\n\n- ${why}`)
  })

  nodeTest("is made up for by a whole result of the same skill in a later round", function* () {
    const { report } = yield* scriptedRun({ ...partial, iterate: then(planOf([[{ name: "Look 2" }]])) }, options)
    expect([report.status, report.message]).toEqual(["done", ""])
  })
})
