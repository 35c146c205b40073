/**
 * Skills as other programs have them: text without our headings, tools under other names, files beside the SKILL.md.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import { Pipeline } from "../../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { skillResources } from "../../../src/services/skills/SkillFolders.ts"
import { EventLog } from "../../support/EventLog.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { makeProject } from "../../support/Project.ts"
import { layerTestRun, planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { stageName } from "../../support/stageName.ts"

const ledger = `---
name: keep-ledger
description: Books invoices into the ledger of a project. Use it when the user sends an invoice or asks what was paid.
version: 2.1.0
allowed-tools: Grep, Bash(git log:*), TodoWrite
---

# Keeping the ledger

## Quick start

Look for the invoice first. Accounts are explained in [the chart](references/accounts.md).

## Tools

Run \`scripts/total.py\` for totals.
`

const folder = ".claude/skills/keep-ledger"
const files = {
  [`${folder}/SKILL.md`]: ledger,
  [`${folder}/references/accounts.md`]: "4711 is travel.\n",
  [`${folder}/scripts/total.py`]: "print(1)\n",
  [`${folder}/assets/a.txt`]: "a\n",
  "secret.md": "not for the skill\n"
}

/** Runs one task of the skill whose refinements are these calls, one after another. */
const runLedger = (
  refinements: ReadonlyArray<ReadonlyArray<{ readonly name: string; readonly arguments: Record<string, string> }>>,
  rules: ReadonlyArray<Rule>
) => {
  const prompts: Array<{ readonly system: string; readonly user: string }> = []
  let asked = 0
  const model = ScriptedModel.layer(({ system, user }) => {
    prompts.push({ system, user })
    const stage = stageName({ system, user })
    if (stage !== "refinement") return stage === "iteration" ? planOf([]) : resultSaying("Booked.")
    asked += 1
    return refinementWith([...(refinements[asked - 1] ?? [])])
  })
  return Effect.gen(function* () {
    const plan = planOf([[{ name: "Book", skill: "keep-ledger" }]])
    const report = yield* (yield* Pipeline).run({ runId: "run", prompt: "Book it.", plan })
    const events = (yield* EventLog).events()
    const outputs = events.flatMap((event) => (event.type === "tool.finished" ? [event.result] : []))
    const issues = events.flatMap((event) => (event.type === "answer.rejected" ? event.issues : []))
    return { report, outputs, issues, prompts }
  }).pipe(Effect.provide(layerTestRun({ files, rules }).pipe(Layer.provide(model))))
}

const allowRead: Rule = { verdict: "allow", tool: "read_file", pattern: ".claude/skills/**" }
const readAccounts = { name: "read_file", arguments: { path: `${folder}/references/accounts.md` } }

nodeTest("a skill of another program is carried out with its whole text, and may read its own files alone", function* () {
  const secret = { name: "read_file", arguments: { path: "secret.md" } }
  const { issues, outputs, prompts, report } = yield* runLedger([[secret], [readAccounts]], [allowRead])
  assert.strictEqual(report.status, "done", report.message)
  const data = outputs.map((output) => output.data)
  assert.deepStrictEqual(data, ["1: 4711 is travel."])
  const [refinement = ""] = prompts.map(({ system }) => system)
  assert.include(refinement, "#### Keeping the ledger\n\n##### Quick start\n\nLook for the invoice first.")
  assert.include(refinement, `  - \`${folder}/references/accounts.md\`\n  - \`${folder}/scripts/total.py\`\n`)
  assert.include(refinement, "- Call `run_command` only for `git log:*`.")
  for (const { system } of prompts) assert.strictEqual(system.split("Look for the invoice first.").length, 2)
  assert.notMatch(refinement, /^## Tools\n\nRun/m)
  assert.strictEqual(issues[0]?.what, "The skill keep-ledger may not make this call of read_file.")
  assert.include(issues[0]?.how, `only for \`${folder}/references/accounts.md\``)
})

describe("files of a skill", () => {
  nodeTest(
    "are regular files beside it, first those that its text names; no links or tests",
    function* () {
      const fs = yield* FileSystem.FileSystem
      const root = yield* makeProject({
        "s/SKILL.md": "x",
        "s/a.md": "x",
        "s/deep/one/z.md": "x",
        "s/tests/t.md": "x",
        "s/.git/config": "x",
        "s/node_modules/m/index.js": "x",
        "outside/key.txt": "x"
      })
      yield* fs.symlink(`${root}/outside`, `${root}/s/references`)
      yield* fs.symlink(`${root}/outside/key.txt`, `${root}/s/key.txt`)
      yield* fs.symlink(`${root}/s`, `${root}/s/again`)
      const found = yield* skillResources(`${root}/s`, "See deep/one/z.md.", root)
      assert.deepStrictEqual(found, ["s/deep/one/z.md", "s/a.md"])
      assert.deepStrictEqual(yield* skillResources(`${root}/s`, "", undefined), [
        `${root}/s/a.md`,
        `${root}/s/deep/one/z.md`
      ])
    }
  )

  nodeTest("are at most 20, since each takes space in every prompt", function* () {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`s/${index + 10}.md`, "x"]))
    const root = yield* makeProject({ "s/SKILL.md": "x", ...many })
    const found = yield* skillResources(`${root}/s`, "Begin with 49.md.", root)
    assert.deepStrictEqual([found.length, found[0], found[1]], [20, "s/49.md", "s/10.md"])
  })
})
