/**
 * The files beside a skill of the user, which lie outside the project: a task of the skill reads them where the scripts of the skill may
 * run, and no other file by it.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import { exitCodeOf } from "../../src/domain/runs/RunReport.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { makeFolder, makeProject } from "../support/Project.ts"
import { allow, deny } from "../support/OpenGate.ts"
import { runScript, scripted } from "../support/ScriptedRun.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const skill = (tools: string) => `---
name: relnotes
description: Writes release notes. Use it in tests.
allowed-tools: ${tools}
---

Read references/STYLE.md first, then run scripts/commits.sh.
`

interface Variant {
  /** The path that the model asks for, for the home folder and the project. */
  readonly path: (home: string, project: string) => string
  readonly rules?: ReadonlyArray<Rule>
  readonly yes?: boolean
  readonly tools?: string
  /** False when the file is not read. */
  readonly isRead: boolean
}

const style = (home: string) => join(home, ".agents/skills/relnotes/references/STYLE.md")
const yes = { yes: true, isRead: true } as const

const variants: Readonly<Record<string, Variant>> = {
  "with --yes": { path: style, ...yes },
  "with --yes and a limit of the tool": { path: style, tools: "Read(docs/**) Bash(git:*)", ...yes },
  "with --yes and only a tool for commands": { path: style, tools: "Bash", ...yes },
  "with --yes, below ~": { path: () => "~/.agents/skills/relnotes/references/STYLE.md", ...yes },
  "with --yes, as its text names it": { path: () => "references/STYLE.md", ...yes },
  "with --yes, with a dot": { path: () => "./references/STYLE.md", ...yes },
  "with a rule for the tool": { path: style, rules: [allow("read_file")], isRead: true },
  "with a rule for commands": { path: style, rules: [allow("run_command")], isRead: true },
  "without an answer": { path: style, isRead: false },
  "with a rule for another command": { path: style, rules: [allow("run_command", "npm test")], isRead: false },
  "with --yes and a rule that denies": {
    path: style,
    rules: [deny("read_file", "STYLE.md")],
    yes: true,
    isRead: false
  },
  "of another skill, with --yes": {
    path: (home) => join(home, ".agents/skills/other/references/OTHER.md"),
    yes: true,
    isRead: false
  },
  "outside the skill, with --yes": { path: (home) => join(home, "notes.md"), yes: true, isRead: false },
  "behind a link in the skill, with --yes": {
    path: (home) => join(home, ".agents/skills/relnotes/references/LINK.md"),
    yes: true,
    isRead: false
  },
  "with the name of a secret, with --yes": {
    path: (home) => join(home, ".agents/skills/relnotes/references/.env"),
    yes: true,
    isRead: false
  },
  "with the name of a key, with a rule for the tool": {
    path: (home) => join(home, ".agents/skills/relnotes/references/server.pem"),
    rules: [allow("read_file")],
    isRead: false
  }
}

const makeWorld = Effect.gen(function* () {
  const home = yield* makeFolder
  const project = yield* makeProject({ "README.md": "Text.\n" })
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  for (const path of ["references/STYLE.md", "references/.env", "references/server.pem", "scripts/commits.sh"]) {
    write(`.agents/skills/relnotes/${path}`, `#!/bin/sh\n# Write in the present tense.\n`)
  }
  write(".agents/skills/other/SKILL.md", skill("read_file").replace("relnotes", "other"))
  write(".agents/skills/other/references/OTHER.md", "Write in the present tense.\n")
  write("notes.md", "Write in the present tense.\n")
  symlinkSync(join(home, "notes.md"), join(home, ".agents/skills/relnotes/references/LINK.md"))
  chmodSync(home, 0o700)
  return { home, project, write }
})

describe("a file beside a skill of the user", () => {
  for (const [name, { isRead, path, rules = [], tools = "Read Bash", ...more }] of Object.entries(variants)) {
    it.effect(`${isRead ? "is read" : "is not read"} ${name}`, () =>
      Effect.gen(function* () {
        const { home, project, write } = yield* makeWorld
        write(".agents/skills/relnotes/SKILL.md", skill(tools))
        const { report } = yield* runScript().pipe(
          scripted(
            {
              plan: () => planOf([[{ name: "Write 1", skill: "relnotes" }]]),
              refine: () => refinementWith([{ name: "read_file", arguments: { path: path(home, project) } }]),
              execute: () => resultSaying("Written.")
            },
            {
              at: { home, project },
              rules,
              ...(more.yes === true ? { approver: Approver.layerYes(Approver.layerDenyAll) } : {})
            }
          )
        )
        const results = report.results.flatMap(({ calls }) => calls.map(({ result }) => result))
        expect(JSON.stringify(results).includes("present tense")).toBe(isRead)
        if (isRead) expect(exitCodeOf(report.status)).toBe(0)
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }
})
