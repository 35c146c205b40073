/** A run whose only task changes a limit that a check reads. */
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import type { RunOrder } from "../../src/domain/runs/RunOrder.ts"
import type { EventOf, RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { makeKeptRun, type Session } from "./KeptRun.ts"
import { allow } from "./OpenGate.ts"
import { makeFolder, putFiles } from "./Project.ts"
import { willingApprover } from "./ScriptedApprover.ts"
import { stageName } from "./stageName.ts"
import { answerIn, planOf, refinementWith, resultSaying } from "./TestRun.ts"

export const node = process.execPath

/** A model whose only task changes the limit with this skill. */
export const modelWith =
  (skill: string) =>
  (prompt: FilledPrompt): string => {
    const change = { name: "edit_file", arguments: { path: "limit.txt", old_text: "100", new_text: "150" } }
    return answerIn(stageName(prompt), {
      creation: planOf([[{ name: "Edit 1", skill, needed: "Change the limit." }]]),
      refinement: skill === "edit-files" ? refinementWith([change]) : resultSaying("It is 100."),
      conclusion: resultSaying("It is done.")
    })
  }

export const start = Effect.fnUntraced(function* (
  order: Partial<RunOrder>,
  check: string,
  session: Partial<Session> = {}
) {
  const run = yield* makeKeptRun({ prompt: "Set the limit to 150.", ...order })
  const folder = yield* makeFolder
  const counting = `import { appendFileSync, readFileSync } from "node:fs"
try { appendFileSync(${JSON.stringify(join(folder, "runs"))}, "x") } catch {}
const limit = readFileSync("limit.txt", "utf8").trim()
`
  yield* putFiles(run.project, { "limit.txt": "100\n", "check.mjs": `${counting}${check}` })
  const checks = [[node, "check.mjs"] as const]
  const made = yield* run.session({
    answer: modelWith("edit-files"),
    approver: willingApprover(),
    settings: { checks, sandbox: { mode: "off" }, namesChecks: true },
    rules: [allow("run_command", `(no sandbox) ${node} check.mjs`)],
    ...session
  })
  const runs = () => {
    try {
      return readFileSync(join(folder, "runs"), "utf8").length
    } catch {
      return 0
    }
  }
  return { run, made, runs }
})

export const tried = (events: ReadonlyArray<RunEvent>) =>
  events.filter((event): event is EventOf<"check.tried"> => event.type === "check.tried")
