/**
 * What a run says of itself at its end, whatever the model says: checks that fail, changes that nobody checked, and what was
 * denied; on stdout, in the last lines, in `--json`, in `show`, in the report, and to other programs.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { run } from "../../../src/index.ts"
import { ScriptedModel } from "../../../src/testing.ts"
import { makeSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { stageOf } from "../../support/ScriptedRun.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

const edit = { name: "edit_file", arguments: { path: "a.txt", old_text: "one", new_text: "two" } }
const secret = { name: "read_file", arguments: { path: ".env" } }
const outside = { name: "read_file", arguments: { path: "/etc/hostname" } }
const command = { name: "run_command", arguments: { argv: ["node", "--version"] } }
const lying = "All is changed, and all checks pass."

type Calls = Parameters<typeof refinementWith>[0]

/** A model that makes these calls at once and then says that all is well, whatever it is told. */
const answerTo = (stage: string, calls: Calls): string => {
  switch (stage) {
    case "creation":
    case "plan":
      return planOf([[{ name: "Edit 1", skill: "worker" }]])
    case "refinement":
    case "refine":
      return refinementWith(calls)
    case "execution":
    case "execute":
      return resultSaying(lying)
    case "iteration":
    case "iterate":
      return planOf([])
    default:
      return lying
  }
}

/** It may do everything. */
const worker = `---
name: worker
description: Works. Use it in tests.
allowed-tools: read_file edit_file run_command
---

## Execution

Work.
`

/** A check that is content with what stands in the file now. */
const check = `import { readFileSync } from "node:fs"
if (!readFileSync("a.txt", "utf8").includes("one")) {
  console.log("not ok 1 - a.txt holds one")
  process.exit(1)
}
`

const makeWorld = Effect.gen(function* () {
  const sandbox = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
  sandbox.write("project/a.txt", "one\n")
  sandbox.write("project/.env", "KEY=value\n")
  sandbox.write("project/check.mjs", check)
  sandbox.write("project/.task-conductor/skills/worker/SKILL.md", worker)
  const start = Effect.fnUntraced(function* (calls: Calls, ...words: ReadonlyArray<string>) {
    const { url } = yield* FakeOllama.make(({ messages }) => answerTo(stageNameOf(messages), calls))
    const flags = words[0] === "run" ? ["--model", fakeModel, "--yes-this-run"] : []
    return yield* Effect.promise(() => sandbox.run([...words, ...flags], { env: { OLLAMA_HOST: url } }))
  })
  return { sandbox, start }
})

const lastEvent = (stdout: string): unknown => JSON.parse(stdout.trim().split("\n").at(-1) ?? "")

const live = (name: string, body: () => Effect.Effect<void, unknown, Effect.Services<typeof makeWorld>>) =>
  it.live(name, () => Effect.orDie(body()))

const checking = ["--check", "node check.mjs"]

describe("a run with a check that fails", () => {
  live("is unverified, and says so on stdout, on stderr, in show and in the report", () =>
    Effect.gen(function* () {
      const { start } = yield* makeWorld
      const ended = yield* start([edit], "run", ...checking, "Change a.txt.")
      expect(ended.code).toBe(1)
      expect(ended.stdout).toContain(
        '- a.txt: 1 insertion(+), 1 deletion(-)\n- failed: `node check.mjs` (exit code 1): a.txt holds one\n- not so: "Edit 1" says "All is changed, and all checks pass.", but `node check.mjs` fails: a.txt holds one\n\n'
      )
      expect(ended.stderr).toContain("error: The check node check.mjs fails with the changes: a.txt holds one")
      expect(ended.stderr).toMatch(/unverified: 1 result, .*, 1 tool call, /)
      const shown = yield* start([], "show", "last")
      expect(shown.stdout).toContain("## Changes\n\n1 file changed, 1 insertion(+), 1 deletion(-):\n- a.txt: ")
      expect(shown.stdout).toContain("- failed: `node check.mjs`")
      const { stdout: page } = yield* start([], "report", "last", "--output", "-")
      expect(page).toContain("unverified: a check fails with the changes")
      expect(page).toMatch(/<td>a\.txt<\/td><td>changed<\/td><td class="number">\+1<\/td><td class="number">-1<\/td>/)
      expect(page).toMatch(/<code>node check\.mjs<\/code><\/td><td><span class="bad">failed<\/span>/)
    })
  )

  live("is done for who accepts that, with the same facts", () =>
    Effect.gen(function* () {
      const { start } = yield* makeWorld
      const words = ["run", "--accept-unverified", "--json", ...checking, "Change a.txt."]
      const { code, stdout } = yield* start([edit], ...words)
      expect([code, lastEvent(stdout)]).toMatchObject([
        0,
        { report: { status: "done", facts: { state: "failed", checks: [{ exit_code: 1, status: "failed" }] } } }
      ])
    })
  )

  live("is told to scripts in the same way", () =>
    Effect.gen(function* () {
      const ends = yield* Effect.forEach([false, true], (acceptUnverified) =>
        Effect.gen(function* () {
          const { sandbox } = yield* makeWorld
          const { report } = run({
            prompt: "Change a.txt.",
            project: join(sandbox.root, "project"),
            stateFolder: join(sandbox.root, "state"),
            model: ScriptedModel.layer((prompt) => answerTo(stageOf(prompt), [edit])),
            allow: ["edit_file"],
            checks: ["node check.mjs"],
            approve: () => true,
            acceptUnverified
          })
          const { facts, status } = yield* Effect.promise(() => report)
          return [status, facts?.state]
        })
      )
      expect(ends).toEqual([
        ["unverified", "failed"],
        ["done", "failed"]
      ])
    })
  )
})

describe("a run with changes that no known check is about", () => {
  live("says so in its last lines and above the answer", () =>
    Effect.gen(function* () {
      const { start } = yield* makeWorld
      const { code, stderr, stdout } = yield* start([edit], "run", "Change a.txt.")
      const line = "not checked: no check is known for these changes"
      expect([code, stdout.includes(`- ${line}\n`)]).toEqual([0, true])
      expect(stderr).toMatch(new RegExp(`  changed a.txt \\(\\+1 -1\\)\n  ${line}\n`))
    })
  )
})

describe("what was denied without a terminal", () => {
  live("does not count when it was a read that the task went on without, and is named", () =>
    Effect.gen(function* () {
      const { sandbox, start } = yield* makeWorld
      const { code, stderr, stdout } = yield* start([secret, outside, edit], "run", "Change a.txt.")
      expect(code).toBe(0)
      expect(stdout).toContain(
        '- denied: read_file .env (nobody could be asked; --allow "read_file:.env" allows it)\n- denied: read_file /etc/hostname (nobody could be asked; --allow "read_file:/etc/hostname" allows it)\n'
      )
      expect(stderr).not.toContain("error: ")
      sandbox.write("project/a.txt", "one\n")
      const again = yield* start([secret, edit], "run", "--json", "Change a.txt.")
      expect(lastEvent(again.stdout)).toMatchObject({
        exit_code: 0,
        report: { facts: { denied: [{ tool: "read_file", targets: [".env"], by: "nobody" }] } }
      })
      const { stdout: page } = yield* start([], "report", "last", "--output", "-")
      expect(page).toContain(
        "<h3>Denied</h3><ul><li>read_file .env (nobody could be asked; --allow &quot;read_file:.env&quot; allows it)</li></ul>"
      )
    })
  )

  live("ends the run with 4 when the task came to nothing else", () =>
    Effect.gen(function* () {
      const { start } = yield* makeWorld
      const { code, stderr } = yield* start([secret], "run", "Read .env.")
      expect([code, /error: .*read_file on .*\.env needs approval/.test(stderr)]).toEqual([4, true])
    })
  )

  live("ends the run with 4 when it was a command or a change", () =>
    Effect.gen(function* () {
      const { start } = yield* makeWorld
      const denying = ["--deny", "run_command", "Change a.txt."]
      const { code, stdout } = yield* start([command, edit], "run", ...denying)
      expect([code, stdout.includes("- denied: run_command node --version (by a rule)\n")]).toEqual([4, true])
    })
  )
})
