/**
 * The files beside a skill of the user, which lie outside the project: a task of the skill reads them where the scripts of the skill may
 * run, and no other file by it.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import { exitCodeOf } from "../../src/domain/runs/RunReport.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { makeFolder, makeProject } from "../support/Project.ts"
import { allow, deny } from "../support/OpenGate.ts"
import { scriptedRun } from "../support/ScriptedRun.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const skill = (tools: string) => `---
name: relnotes
description: Writes release notes. Use it in tests.
allowed-tools: ${tools}
---

Read references/STYLE.md first, then run scripts/commits.sh.
`

const folder = ".agents/skills/relnotes"
const style = `HOME/${folder}/references/STYLE.md`

/** The path that the model asks for, where HOME is the folder of the user, with the rules and the tools of the skill. */
type Variant = readonly [name: string, path: string, rules?: ReadonlyArray<Rule> | "yes", tools?: string]

const read: ReadonlyArray<Variant> = [
  ["with --yes", style, "yes"],
  ["with --yes and only a tool for commands", style, "yes", "Bash"],
  ["with --yes, below ~", `~/${folder}/references/STYLE.md`, "yes"],
  ["with --yes, as its text names it", "references/STYLE.md", "yes"],
  ["with a rule for commands", style, [allow("run_command")]]
]

const notRead: ReadonlyArray<Variant> = [
  ["without an answer", style],
  ["with a rule that denies", style, [allow("read_file"), deny("read_file", "STYLE.md")]],
  ["outside the skill, with --yes", "HOME/notes.md", "yes"],
  ["behind a link in the skill, with --yes", `HOME/${folder}/references/LINK.md`, "yes"],
  ["with the name of a secret, with --yes", `HOME/${folder}/references/.env`, "yes"],
  ["with the name of a key, with a rule for the tool", `HOME/${folder}/references/server.pem`, [allow("read_file")]]
]

const makeWorld = Effect.gen(function* () {
  const home = yield* makeFolder
  const project = yield* makeProject({ "README.md": "Text.\n" })
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  for (const path of ["references/STYLE.md", "references/.env", "references/server.pem", "scripts/commits.sh"]) {
    write(`${folder}/${path}`, `#!/bin/sh\n# Write in the present tense.\n`)
  }
  write("notes.md", "Write in the present tense.\n")
  symlinkSync(join(home, "notes.md"), join(home, folder, "references/LINK.md"))
  chmodSync(home, 0o700)
  return { home, project, write }
})

describe("a file beside a skill of the user", () => {
  for (const [name, path, allowed = [], tools = "Read Bash"] of [...read, ...notRead]) {
    const isRead = read.some(([other]) => other === name)
    nodeTest(`${isRead ? "is read" : "is not read"} ${name}`, function* () {
      const { home, project, write } = yield* makeWorld
      write(`${folder}/SKILL.md`, skill(tools))
      const call = { name: "read_file", arguments: { path: path.replace("HOME", home) } }
      const script = {
        plan: () => planOf([[{ name: "Write 1", skill: "relnotes" }]]),
        refine: () => refinementWith([call]),
        execute: () => resultSaying("Written.")
      }
      const answers = allowed === "yes" ? { approver: Approver.layerYes(Approver.layerDenyAll) } : { rules: allowed }
      const { report } = yield* scriptedRun(script, { at: { home, project }, ...answers })
      const results = report.results.flatMap(({ calls }) => calls.map(({ result }) => result))
      expect(JSON.stringify(results).includes("present tense")).toBe(isRead)
      if (isRead) expect(exitCodeOf(report.status)).toBe(0)
    })
  }
})
