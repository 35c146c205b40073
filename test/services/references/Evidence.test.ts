import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { TaskName } from "../../../src/domain/plan/TaskName.ts"
import type { Rule } from "../../../src/domain/permissions/Permission.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { Workspace } from "../../../src/services/files/Workspace.ts"
import { Activities } from "../../../src/services/journal/Activities.ts"
import { Gate } from "../../../src/services/permissions/Gate.ts"
import { ProjectWriteLock } from "../../../src/services/files/ProjectWriteLock.ts"
import { Policies } from "../../../src/services/permissions/Policies.ts"
import { Evidence, type EvidenceContext } from "../../../src/services/references/Evidence.ts"
import { EventLog } from "../../support/EventLog.ts"
import { makeFolder, makeProject, putFiles } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const tenLines = Array.from({ length: 10 }, (_, index) => `const value${index + 1} = ${index + 1}\n`).join("")
const files = {
  "src/a.ts": tenLines,
  "src/main.ts": 'import { load } from "./config.ts"\n\nload()\n',
  "docs/guide (old).md": "# Guide\n",
  "C#/x.cs": tenLines,
  ".env": "KEY=1\n",
  "private/b.ts": "secret\n",
  "logo.png": "\0\0"
}

const known = Schema.decodeUnknownSync(TaskName)("Search 1")
const evidenceContext: EvidenceContext = {
  task: "Read 1",
  finished: [known],
  anchors: new Set(["project-description"]),
  material: ["Read https://example.com/docs/install and (https://example.com/api)."],
  printed: ["FAIL src/a.ts: expected 3 to be\n  greater than 4"],
  changed: new Set()
}

const rules: ReadonlyArray<Rule> = [{ verdict: "deny", tool: "read_file", pattern: "private" }]

const check = (text: string, more: Partial<EvidenceContext> = {}) =>
  Effect.gen(function* () {
    const project = yield* makeProject(files)
    const outside = yield* makeFolder
    yield* putFiles(outside, { "secret.ts": "x\n" })
    yield* Effect.sync(() => symlinkSync(join(outside, "secret.ts"), join(project, "src/link.ts")))
    const layer = Evidence.layer.pipe(
      Layer.provide(Gate.layer({ rules })),
      Layer.provide([Policies.layerMemory(), Approver.layerDenyAll, ProjectWriteLock.layerHeld]),
      Layer.provide([Activities.layerUnsaved, EventLog.layer]),
      Layer.provide(Workspace.layer(project))
    )
    const evidence = yield* Effect.provide(Evidence, layer)
    const found = yield* evidence.check(text.replaceAll("{project}", project).replaceAll("{outside}", outside), () => ({
      ...evidenceContext,
      ...more
    }))
    return { ...found, codes: found.issues.map(({ code }) => code), project }
  }).pipe(Effect.provide(NodeServices.layer))

describe("a link that is right", () => {
  nodeTest.each([
    "[a](src/a.ts)",
    "[a](./src/a.ts#L1-L10)",
    "[a](src/a.ts#L10)",
    "[main](src/main.ts)",
    "[guide](<docs/guide (old).md>)",
    "[docs](docs/), [src](src)",
    "[logo](logo.png#L3)",
    "[install](https://example.com/docs/install#top)",
    "[api](https://example.com/api/)",
    "[Search 1](#search-1-results)",
    "[the project](#project-description)",
    "`const value3 = 3` ([a](src/a.ts#L3))",
    "[a](src/a.ts#L3): `const  value3 = 3`",
    "[a](src/a.ts#L3): `3: const value3 = 3`",
    "[a](src/a.ts#L3): `const value3 = 3 const value4 = 4`",
    "[a](src/a.ts#L3) fails: `expected 3 to be greater than 4`",
    "The value is 3 ([a](src/a.ts#L3)).",
    '[a](src/a.ts#L2-L4) says "const value3 = 3"',
    // The other quotation of the line is what the link is about.
    "- `value2` ([a](src/a.ts#L2)): `const value5 = 5` ([a](src/a.ts#L5))",
    "- `const value2 = 2` before `value3` ([a](src/a.ts#L2))",
    "- `value7` and more ([a](src/a.ts#L7)), then `const value9 = 9`",
    "`load` is new ([a](src/a.ts#L8)): `const value9 = 9` ([a](src/a.ts#L9)).",
    "| `value4` | [a](src/a.ts#L4) | `const value6 = 6` |",
    "```md\n[gone](gone.ts)\n```",
    "`[gone](gone.ts)`"
  ])("is left as it is: %s", function* (text) {
    const found = yield* check(text)
    expect([found.codes, found.text, found.marked, found.count.wrong]).toEqual([[], text, text, 0])
  })
})

describe("a link that is wrong", () => {
  nodeTest.each([
    ["[b](src/b.ts)", "evidence-file", 'There is no file "src/b.ts".', "[b](src/b.ts) (not found)"],
    ["see [all](src/*.ts).", "evidence-file", '"src/*.ts" is a pattern', "see [all](src/*.ts) (not found)."],
    ["[lib](lib/)", "evidence-file", 'There is no file "lib/".', "[lib](lib/) (not found)"],
    ["[a](src/a.ts#L11)", "evidence-lines", "lines that src/a.ts does not have", "[a](src/a.ts#L11) (no such line)"],
    [
      "[a](src/a.ts#L3): `const other = 3`",
      "evidence-quote",
      "`const other = 3` beside the link is not in src/a.ts",
      "[a](src/a.ts#L3) (not found there): `const other = 3`"
    ],
    [
      "The value is 7 ([a](src/a.ts#L3)).",
      "evidence-number",
      "The text says 7, but src/a.ts#L3 says 3.",
      "The value is 7 ([a](src/a.ts#L3) (the line has another number))."
    ],
    [
      "[S](#search-9-results)",
      "evidence-result",
      'no result or heading "#search-9-results"',
      "[S](#search-9-results) (no such result)"
    ],
    ["[me](#read-1-results)", "evidence-result", "no result or heading", "[me](#read-1-results) (no such result)"],
    ["[x](https://example.com/a)", "evidence-page", "was not fetched", "[x](https://example.com/a) (not fetched)"],
    [
      "[x](https://example.com/docs/inst)",
      "evidence-page",
      "was not fetched",
      "[x](https://example.com/docs/inst) (not fetched)"
    ]
  ] as const)("is an issue, and is marked as the last resort: %s", function* ([text, code, what, marked]) {
    const found = yield* check(text)
    expect(found.codes).toEqual([code])
    expect(found.issues[0]?.what).toContain(what)
    expect(found.issues[0]?.where).toEqual({ task: "Read 1", line: 1 })
    expect([found.text, found.marked, found.count.wrong]).toEqual([text, marked, 1])
    expect((yield* check(found.marked)).marked).toBe(marked)
  })

  nodeTest("names the nearest files, and never one that is hidden", function* () {
    const { issues } = yield* check("[m](lib/main.ts), [b](src/b.ts), [e](.environ)")
    expect(issues[0]?.how).toMatch(/^One of these may be meant: src\/main\.ts/)
    for (const { how } of issues) expect(how).not.toMatch(/private|\.env\b/)
  })
})

describe("a link that names its target inexactly", () => {
  nodeTest.each([
    ["[a](src/a.ts#L5): `const value3 = 3`", "[a](src/a.ts#L3): `const value3 = 3`"],
    ["[src/a.ts#L12](src/a.ts#L12) - `const value3 = 3`", "[src/a.ts#L3](src/a.ts#L3) - `const value3 = 3`"],
    ["`value7` in [a](src/a.ts#L5)", "`value7` in [a](src/a.ts#L7)"],
    ["[a](src/a.ts#L9-L20)", "[a](src/a.ts#L9-L10)"],
    ["[main](/src/main.ts#L1)", "[main](src/main.ts#L1)"],
    ["[x](C#/x.cs#L2)", "[x](C%23/x.cs#L2)"],
    ["[x](/C#/x.cs#L2): `const value3 = 3`", "[x](C%23/x.cs#L3): `const value3 = 3`"],
    ["[g](<docs/guide\u00a0(old).md>)", "[g](<docs/guide%20%28old%29.md>)"],
    ["[s](#Search_1-results)", "[s](#search-1-results)"]
  ] as const)("is corrected, which is told: %s", function* ([before, after]) {
    const found = yield* check(before)
    expect([found.text, found.codes, found.repairs.map(({ code }) => code)]).toEqual([
      after,
      [],
      ["evidence-corrected"]
    ])
  })
})

describe("a link that may not be looked at", () => {
  nodeTest.each([
    "[k](.env), [k](.env.local), [k](keys/id_rsa)",
    "[b](private/b.ts), [c](private/c.ts)",
    "[o]({outside}/secret.ts), [o]({outside}/none.ts), [up](../x.ts), [passwd](/etc/passwd)",
    "[l](src/link.ts#L99)",
    "[mail](mailto:a@example.com)"
  ])("is neither right nor wrong, whether it exists or not: %s", function* (text) {
    const found = yield* check(text)
    expect([found.codes, found.count]).toEqual([[], { checked: 0, wrong: 0 }])
    expect(found.marked).toBe(found.text)
  })
})

nodeTest("does not judge what is quoted from a file that the run changed", function* () {
  const { codes } = yield* check("[a](src/a.ts#L3): `const old = 3` was replaced.", { changed: new Set(["src/a.ts"]) })
  expect(codes).toEqual([])
})
