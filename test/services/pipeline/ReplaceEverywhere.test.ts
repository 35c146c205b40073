/**
 * A text that is replaced everywhere: what cannot be looked at and may hold it is named, and stays an open change.
 */
import { describe, expect } from "@effect/vitest"
import * as FileSystem from "effect/FileSystem"
import { execFileSync } from "node:child_process"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { needs } from "../../support/needs.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { willingApprover } from "../../support/ScriptedApprover.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { scriptedRun } from "../../support/ScriptedRun.ts"
import { planOf, resultSaying } from "../../support/TestRun.ts"

const editing = plainTask("Edit 1", "edit-files", "Rename get_size to read_size.", "The new name.")
const replacing = (except: ReadonlyArray<string> = []) =>
  JSON.stringify({ replace: "get_size", with: "read_size", ...(except.length === 0 ? {} : { except }) })

/** A project with one more file than `a.c`, which holds the text. */
interface Variant {
  readonly name: string
  readonly path: string
  readonly bytes: Buffer
  /** How the reply names what was left out; nothing when all is replaced. */
  readonly left?: string
  /** How a warning names what may not be read. */
  readonly warned?: string
  readonly isChanged?: true
  readonly except?: ReadonlyArray<string>
  readonly tracked?: true
}

const latin = (text: string) => Buffer.from(text, "latin1")
const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")
const mebibytes = (count: number, end: string) =>
  Buffer.concat([Buffer.alloc(count * 1_048_576, "a line\n"), latin(end)])

const get = latin("get_size\n")
const variants: ReadonlyArray<Variant> = [
  { name: "Latin-1", path: "b.c", bytes: latin("/* größe */ get_size();\n"), isChanged: true },
  { name: "UTF-16", path: "b.rc", bytes: utf16("get_size\r\n"), isChanged: true },
  { name: "one broken byte", path: "b.md", bytes: Buffer.from([...latin("get_size "), 0xe9]), isChanged: true },
  { name: "more than 1 MiB", path: "b.sql", bytes: mebibytes(1, "\nget_size\n"), isChanged: true },
  { name: "tracked although ignored", path: "lib/b.c", bytes: get, isChanged: true, tracked: true },
  { name: "too large", path: "b.sql", bytes: mebibytes(11, "\nget_size\n"), left: "1 file that is too large (b.sql)" },
  { name: "too large, without the text", path: "b.sql", bytes: mebibytes(11, "size\n") },
  { name: "binary", path: "b.o", bytes: latin("\0\x01get_size\0"), left: "1 file that is not text (b.o)" },
  { name: "binary, without the text", path: "b.png", bytes: latin("\0\x01\x02PNG") },
  { name: "excepted", path: "b.o", bytes: latin("\0\x01get_size\0"), except: ["b.o"] },
  { name: "a secret", path: ".env", bytes: latin("X\n"), warned: "1 file that looks like a secret (.env)" },
  { name: "denied", path: "private/b.c", bytes: get, warned: "1 file that may not be read (private/b.c)" },
  {
    name: "tracked in node_modules",
    path: "node_modules/x.js",
    bytes: get,
    left: "1 file below node_modules that git tracks (node_modules/x.js)",
    tracked: true
  },
  { name: "not tracked in node_modules", path: "node_modules/x.js", bytes: get },
  { name: "ignored", path: "lib/b.c", bytes: get }
]

const order = { briefing, task: editing, round: 1, step: 0, finished: [] }

/** A replacement, a file beside `.env`, the new text if there is one, and what the reply says of it. */
const replies: ReadonlyArray<readonly [replaced: string, text: string, now: string | undefined, says: string]> = [
  ["get_size", "other();\n", undefined, "was not found in the files that were looked at"],
  [
    "open(",
    "open(a);\nreopen(b);\na.open(c);\n",
    "x(a);\nreopen(b);\na.x(c);",
    "stood in 2 lines: 2 changed in 1 file"
  ],
  ["  call(", "  call(a);\n    call(b);\n", "x(a);", "stood in 1 line: 1 changed in 1 file"],
  ["size(", "get_size();\n", undefined, '"size(" occurs only inside longer names or indentations, such as in a.c, so']
]

describe("a text that is replaced everywhere", () => {
  for (const { bytes, except = [], isChanged = false, left, name, path, tracked = false, warned } of variants) {
    nodeTest(
      `${left === undefined ? "leaves nothing open" : "is an open change"} beside a file that is ${name}`,
      function* () {
        const fs = yield* FileSystem.FileSystem
        const report = left === undefined ? [] : [resultSaying("Partly done. A file could not be read.")]
        const { log, taskAgent, messages, project } = yield* openStages({
          answers: [replacing(except), resultSaying("It is renamed."), ...report],
          files: { "a.c": "get_size();\n", ".gitignore": "lib/\n" },
          rules: [{ verdict: "deny", tool: "read_file", pattern: "private/**" }]
        })
        for (const folder of ["lib", "node_modules", "private"]) yield* fs.makeDirectory(`${project}/${folder}`)
        yield* fs.writeFile(`${project}/${path}`, bytes)
        if (tracked) {
          execFileSync("git", ["init", "-q"], { cwd: project })
          execFileSync("git", ["add", "-f", path], { cwd: project })
        }
        const { bases = [], calls, priorCalls = [] } = yield* taskAgent.work(order)
        const changed = isChanged ? ["a.c", path].toSorted() : ["a.c"]
        expect(calls.map((call) => call.arguments["path"])).toEqual(changed)
        expect(bases.map((base) => base.path)).toEqual(changed)
        expect(priorCalls.map(({ call, result }) => [call.arguments["path"], result.success])).toEqual(
          left === undefined ? [] : [[path, false]]
        )
        const reply = messages[1]?.at(-1) ?? ""
        const stood = `\`get_size\` stood in ${changed.length} line${changed.length === 1 ? "" : "s"}: ${changed.length} changed`
        expect(reply).toContain(stood)
        const unseen = left ?? warned
        expect(reply).toContain(unseen === undefined ? "none left out." : `Not looked at: ${unseen}.`)
        expect(reply.includes("none left out")).toBe(unseen === undefined)
        expect(log.events().flatMap((event) => (event.type === "message" ? [event.text] : []))).toEqual(
          unseen === undefined
            ? []
            : [expect.stringContaining(`"get_size" in "${editing.name}": Not looked at: ${unseen}.`)]
        )
      },
      tracked ? needs("git") : {}
    )
  }

  for (const [replace, text, now, says] of replies) {
    nodeTest(`is replaced as a name, and the reply says ${says}`, function* () {
      const reports = ["Partly done. One.", "Partly done. It is not there."].map(resultSaying)
      const { messages, taskAgent } = yield* openStages({
        answers: [JSON.stringify({ replace, with: replace.endsWith("(") ? "x(" : "x" }), ...reports],
        files: { "a.c": text, ".env": "X=1\n" }
      })
      const { calls } = yield* taskAgent.work(order)
      expect(calls.map((call) => call.arguments["new_text"])).toEqual(now === undefined ? [] : [now])
      const reply = messages[1]?.at(-1) ?? ""
      expect(reply).toContain(says)
      expect(reply).not.toContain("does not occur in the project")
    })
  }

  nodeTest("is said to stand nowhere when all files were looked at", function* () {
    const reports = ["Partly done. One.", "Partly done. It is not there."].map(resultSaying)
    const { messages, taskAgent } = yield* openStages({ answers: [replacing(), ...reports] })
    expect((yield* taskAgent.work(order)).priorCalls?.map(({ result }) => result.error_type)).toEqual([
      "validation_failed"
    ])
    expect(messages[1]?.at(-1)).toContain('The text "get_size" does not occur in the project')
  })

  nodeTest("leaves the run undone, although the model calls it done", function* () {
    const { report } = yield* scriptedRun(
      {
        plan: () => planOf([[{ name: "Edit 1", skill: "edit-files" }]]),
        refine: () => replacing(),
        execute: () => resultSaying("Renamed get_size everywhere.")
      },
      { files: { "a.c": "get_size();\n", "b.o": "\0get_size\0" }, approver: willingApprover() }
    )
    expect(report.status).toBe("failed")
    expect(report.message).toMatch(
      /"Edit 1" did not change b\.o \(edit_file\)\. It failed: [^\n]*Not looked at: 1 file/
    )
  })
})

const sayWhere = () => resultSaying("It is [there](a.c#L1).")

nodeTest("items are looked for in every file, and the files that could not be looked at are named", function* () {
  const plan = planOf([[{ name: "Look 1", each: "file in `**/*` containing `get_size`" }]])
  const { events, report } = yield* scriptedRun(
    { plan: () => plan, refine: sayWhere, execute: sayWhere },
    { files: { "a.c": "get_size();\n", "b.c": "other();\n", ".env": "X=1\n" }, approver: willingApprover() }
  )
  expect(report.status).toBe("done")
  expect(events.flatMap((event) => (event.type === "task.item" ? [event.item] : []))).toEqual(["a.c"])
  expect(events.flatMap((event) => (event.type === "message" ? [event.text] : []))).toContain(
    'The items of "Look 1": Not looked at: 1 file that looks like a secret (.env).'
  )
})
