/**
 * What rules allow is not asked about in a run, whatever the plan or a skill of the package says. Nobody can be asked in these runs:
 * what still needs an answer is not done.
 */
import { describe, expect } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ToolCall } from "../../src/domain/tools/ToolCall.ts"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import { exitCodeOf } from "../../src/domain/runs/RunReport.ts"
import { allow, deny } from "../support/OpenGate.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { makeFolder, makeProject } from "../support/Project.ts"
import { scriptedRun } from "../support/ScriptedRun.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

type Call = Pick<ToolCall, "arguments" | "name">

const edit = (path: string): Call => ({
  name: "edit_file",
  arguments: { path, old_text: "const limit = 5", new_text: "const limit = 7" }
})
const write = (path: string, content = "const limit = 7\n"): Call => ({
  name: "write_file",
  arguments: { path, content }
})

const long = Array.from({ length: 60 }, (_, line) => `const value${line} = ${line}\n`).join("")

const ownSkill = `---
name: own
description: Changes files. Use it in tests.
allowed-tools: read_file edit_file write_file remove_file
metadata:
  task-conductor.requires-approval: "true"
---

## Execution

Say what is different.
`
const files = {
  "a.js": "const limit = 5\n",
  "src/b.js": "const limit = 5\n",
  "long.js": long,
  ".npmrc": "const limit = 5\n",
  ".task-conductor/skills/own/SKILL.md": ownSkill
}

type Variant = readonly [
  name: string,
  calls: ReadonlyArray<Call>,
  rules: ReadonlyArray<Rule>,
  changes: ReadonlyArray<string>,
  plan?: { readonly skill?: string; readonly gated?: boolean }
]

const own = { skill: "own" }
const loss = write("long.js", "const value1 = 1\n")
const both = [edit("a.js"), edit("src/b.js")]
const asking: Rule = { ...allow("edit_file", "a.js"), verdict: "ask" }

/** The files that change; none when the run is not permitted. */
const variants: ReadonlyArray<Variant> = [
  ["a rule that names the file", [edit("a.js")], [allow("edit_file", "a.js")], ["a.js"]],
  ["a rule for the tool", [edit("a.js")], [allow("edit_file")], ["a.js"]],
  [
    "a rule for each of two tools",
    [edit("a.js"), write("new.js")],
    [allow("edit_file", "*.js"), allow("write_file", "*.js")],
    ["a.js", "new.js"]
  ],
  ["a plan that wants approval", [edit("a.js")], [allow("edit_file", "a.js")], ["a.js"], { gated: true }],
  ["a skill that wants approval, all of it", [edit("a.js")], [allow("edit_file", "a.js")], ["a.js"], own],
  ["a file that programs run, named", [edit(".npmrc")], [allow("edit_file", ".npmrc")], [".npmrc"]],
  ["a large loss, named", [loss], [allow("write_file", "long.js")], ["long.js"]],
  ["no rule", [edit("a.js")], [], []],
  ["a rule for another file", [edit("a.js")], [allow("edit_file", "b.js")], []],
  ["a rule that denies beside it", [edit("a.js")], [allow("edit_file", "a.js"), deny("edit_file", "*.js")], []],
  ["a rule that asks beside it", [edit("a.js")], [allow("edit_file", "a.js"), asking], []],
  ["a rule for one of two files", both, [allow("edit_file", "a.js")], []],
  ["a skill that wants approval, a part of it", both, [allow("edit_file", "a.js")], [], own],
  ["a file that programs run, by a rule for the tool", [edit(".npmrc")], [allow("edit_file")], []],
  ["a file that programs run, by wildcards", [edit(".npmrc")], [allow("edit_file", "**")], []],
  ["a large loss, by wildcards", [loss], [allow("write_file", "*.js")], []]
]

describe("without a terminal", () => {
  for (const [name, calls, rules, changes, { gated = false, skill = "edit-files" } = {}] of variants) {
    nodeTest(`${name} ${changes.length === 0 ? "is not enough" : "suffices"}`, function* () {
      const root = yield* makeProject(files)
      const { events, report } = yield* scriptedRun(
        {
          plan: () => planOf([[{ name: "Change 1", skill, gated }]]),
          refine: () => `I remove what is not needed.\n\n${refinementWith(calls)}`,
          execute: () => resultSaying("It is changed.")
        },
        { at: { project: root, home: yield* makeFolder }, rules }
      )
      expect((report.facts?.files ?? []).map(({ path }) => path).toSorted()).toEqual(changes)
      expect(exitCodeOf(report.status)).toBe(changes.length === 0 ? 4 : 0)
      for (const path of ["a.js", "src/b.js", ".npmrc", "long.js"] as const) {
        const isSame = readFileSync(join(root, path), "utf8") === files[path]
        expect([path, isSame]).toEqual([path, !changes.includes(path)])
      }
      if (changes.length > 0) expect(events.filter(({ type }) => type === "approval.requested")).toEqual([])
    })
  }

  nodeTest("the rules that would have allowed the rest are named", function* () {
    const { events } = yield* scriptedRun(
      {
        plan: () => planOf([[{ name: "Change 1", skill: "edit-files", gated: true }]]),
        refine: () => refinementWith([edit("a.js"), edit("src/b.js")])
      },
      { files, rules: [allow("edit_file", "a.js")] }
    )
    const texts = events.flatMap((event) => (event.type === "message" ? [event.text] : []))
    expect(texts).toContain('Nobody can be asked about "Step 1". These rules allow it: --allow "edit_file:src/b.js"')
    const [asked] = events.flatMap((event) => (event.type === "approval.requested" ? [event.items] : []))
    expect(asked?.map(({ targets }) => targets.map((target) => target.split("/").at(-1)))).toEqual([["b.js"]])
  })
})
