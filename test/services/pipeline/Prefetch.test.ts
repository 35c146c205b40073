import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { charactersIn } from "../../../src/domain/models/PromptSize.ts"
import type { Reference } from "../../../src/domain/plan/Reference.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { briefing, openStages, type OpenStages } from "../../support/OpenStages.ts"
import { refinementWith, resultSaying } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const heading = "## Parts of files that hold words of the task"
const files = {
  "src/limit.ts": "export const rateLimit = 5\nexport const other = 1\n",
  "src/use.ts": 'import { rateLimit } from "./limit.ts"\nprint(rateLimit)\n',
  "src/far.ts": "export const nothing = 1\n",
  "docs/limit.md": "The `rateLimit` is 5.\n"
}

type Given = OpenStages & { readonly references?: ReadonlyArray<Reference> }

/** The messages of each call of a task that needs this. */
const messagesFor = Effect.fnUntraced(function* (needed: string, { references = [], ...given }: Given) {
  const { taskAgent, messages } = yield* openStages({ files, ...given })
  const task = plainTask("Look 1", "edit-files", needed, "A word.", { references })
  yield* taskAgent.work({ briefing, task, round: 1, step: 0, finished: [] })
  return messages
})

/** The first message of a task that needs this. */
const firstMessage = (needed: string, more: Given = {}) =>
  Effect.map(
    messagesFor(needed, { ...more, answer: () => resultSaying("It is 5.") }),
    (messages) => messages[0]?.[0] ?? ""
  )

const wide = (name: string, count = 0) =>
  [`const ${name} = () => {`, ...Array.from({ length: count }, () => `  ${"call()".padEnd(52, ";")}`), "}", ""].join(
    "\n"
  )

const lines = (name: string) => Array.from({ length: 400 }, () => `use(${name})`).join("\n")

describe("before the first turn", () => {
  nodeTest(
    "a task is shown the source files that declare the names which it writes as code, and no others",
    function* () {
      const first = yield* firstMessage("What is `rateLimit`?")
      expect(first).toContain(heading)
      expect(first).toMatch(/Path: src\/limit\.ts\n[^]*rateLimit = 5/)
      for (const path of ["src/use.ts", "src/far.ts", "docs/limit.md"]) expect(first).not.toContain(`Path: ${path}`)
    }
  )

  nodeTest(
    "the declarations of a file are shown whose path holds the words of the task, if nothing else is",
    function* () {
      const tokens = "export const split = () => {\n  return 1\n}\n\nexport const join = () => {\n  return 2\n}\n"
      const sources = { ...files, "src/parser/tokens.ts": tokens, "test/parser/tokens.test.ts": tokens }
      const first = yield* firstMessage("Make the tokens of the parser faster.", { files: sources })
      expect(first).toContain(
        "Path: src/parser/tokens.ts\n\n```typescript\n1: export const split = () => {\n...\n5: export"
      )
      expect(first).not.toContain("Path: test/")
      expect(yield* firstMessage("Make the parser faster.", { files: sources })).not.toContain("Path:")
    }
  )

  nodeTest("nothing is shown of denied files, or for a task that names no code or has references", function* () {
    const rules = [{ verdict: "deny", tool: "read_file", pattern: "src/**" } as const]
    expect(yield* firstMessage("What is `rateLimit`?", { rules })).not.toContain("rateLimit = 5")
    expect(yield* firstMessage("What is the limit?")).not.toContain(heading)
    const log = [{ kind: "file", title: "log", href: "CHANGES.md", target: "CHANGES.md" }] as const
    const changes = { ...files, "CHANGES.md": "# Changes\n" }
    expect(yield* firstMessage("Raise `rateLimit`.", { files: changes, references: log })).toContain(heading)
    const references = [{ kind: "file", title: "far", href: "src/far.ts", target: "src/far.ts" }] as const
    expect(yield* firstMessage("What is `rateLimit`?", { references })).not.toContain(heading)
  })

  nodeTest("a changelog that the task names is shown, unless it is a reference", function* () {
    const entries = Array.from({ length: 60 }, (_, at) => `- Entry ${at} of a long list of changes.`).join("\n")
    const withLog = { ...files, "CHANGES.md": `# Changes\n\n${entries}\n`, "docs/NEWS.md": "# News\n" }
    const first = yield* firstMessage("Raise the limit, with an entry in CHANGES.md.", { files: withLog })
    expect(first).toMatch(
      /Path: CHANGES\.md\n\n```markdown\n1: # Changes\n2:\n3: - Entry 0[^]*\(lines \d+ to 61 left out\)\n62: - Entry 59[^\n]*\n```/
    )
    expect(first).not.toContain("NEWS.md")
    const block = /Path: CHANGES\.md\n\n```markdown\n([^]*?)\n```/.exec(first)?.[1] ?? ""
    expect(block.length).toBeLessThanOrEqual(charactersIn(8192 * 0.03))
  })

  nodeTest.each([
    [8000, 8000],
    [32_768, 8192]
  ] as const)(
    "in a window of %i tokens, the best file takes 11 % of %i, and the second one 6 %",
    function* ([contextWindow, counted = 0]) {
      const fitting = [0.11, 0.06].map((share) => Math.floor((charactersIn(counted * share) - 120) / 60))
      const blocks = (most: ReadonlyArray<number>) =>
        firstMessage("See `rateLimit`, and mostCalls.", {
          files: { "src/a.ts": wide("rateLimit", most[0]), "src/b.ts": wide("mostCalls", most[1]) },
          settings: { contextWindow }
        })
      const whole = yield* blocks(fitting)
      expect(whole.match(/^Path: src\/[ab]\.ts$/gm)).toHaveLength(2)
      const [most = 0, second = 0] = fitting
      const neither = yield* blocks([most + 4, second + 4])
      expect(neither).not.toContain("Path: src/")
      expect(neither).toContain(
        `Not shown, because they are long: src/a.ts \`rateLimit\` lines 1 to ${most + 6}; src/b.ts \`mostCalls\` lines 1 to ${second + 6}.`
      )
    }
  )
})

const search = (pattern: string) => refinementWith([{ name: "search_files", arguments: { pattern } }])
const around = "## Parts of files around what was found"
const quotaFiles = {
  "CHANGES.md": "# Changes\n",
  "src/limit.ts": `export const rateLimit = 5\n${lines("rateLimit")}\n`,
  "src/far.ts": `const before = 1\n\nexport const quota = (used: number): number => {\n  const left = 9 - used\n  return left\n}\n\nconst after = 2\n`
}

/** The messages of each call of a task that searches twice. */
const searching = (contextWindow: number, answers: ReadonlyArray<string>) =>
  messagesFor("What is `rateLimit`? See CHANGES.md.", { answers, files: quotaFiles, settings: { contextWindow } })

describe("after the first search", () => {
  const twice = [search("quota ="), search("after ="), resultSaying("It is 9.")]

  nodeTest("a task is shown once what lies around the hits in a file that was not shown", function* () {
    const messages = yield* searching(32_768, twice)
    const reply = messages[1]?.at(-1) ?? ""
    expect(reply).toContain(around)
    expect(reply).toMatch(/Path: src\/far\.ts\n[^]*3: export const quota[^]*5: {3}return left\n6: \}/)
    expect(messages.at(-1)?.join("\n").split(around).length).toBe(2)
    // A large window has room for both, so that its server reads nothing again.
    expect(messages[1]?.[0]).toBe(messages[0]?.[0])
  })

  nodeTest("the parts that no answer used make room for it in a small window", function* () {
    const messages = yield* searching(8192, twice)
    expect(messages[0]?.[0]).toContain("Path: src/limit.ts")
    expect(messages[1]?.[0]).not.toContain("Path: src/limit.ts")
    expect(messages[1]?.[0]).toMatch(/What is `rateLimit`\?[^]*Path: CHANGES\.md/)
    expect(messages[1]?.at(-1)).toContain("Path: src/far.ts")
    const used = yield* searching(8192, [`In src/limit.ts.\n\n${search("quota =")}`, resultSaying("It is 9.")])
    expect(used[1]?.[0]).toContain("Path: src/limit.ts")
  })

  nodeTest("nothing more is shown if the same answer reads something, or of a file that is shown", function* () {
    const read = { name: "read_file", arguments: { path: "CHANGES.md" } }
    const both = refinementWith([{ name: "search_files", arguments: { pattern: "quota =" } }, read])
    for (const answer of [both, search("rateLimit = 5")]) {
      const messages = yield* searching(8192, [answer, resultSaying("It is 9.")])
      expect(messages[1]?.join("\n")).not.toContain(around)
      expect(messages[1]?.[0]).toBe(messages[0]?.[0])
    }
  })
})

const readOf = (path: string, start_line: number) => ({ name: "read_file", arguments: { path, start_line } })

describe("after a compaction", () => {
  nodeTest("a part is not shown again beside the lines that the model has read of it", function* () {
    const messages = yield* messagesFor("What is `rateLimit`?", {
      answers: [
        refinementWith([readOf("src/limit.ts", 1), readOf("src/far.ts", 1)]),
        ...[2, 3, 4].map((part) => refinementWith([readOf("src/far.ts", part * 60)])),
        resultSaying("It is 5.")
      ],
      files: { ...files, "src/far.ts": lines("nothing, with enough words that it fills a line") },
      settings: { contextWindow: 4096 }
    })
    expect(messages[0]?.[0]).toContain("Path: src/limit.ts")
    const compacted = messages.slice(1).flatMap((all) => (all.length === 1 ? all : []))
    expect(compacted.length).toBeGreaterThan(0)
    for (const message of compacted) expect(message).not.toContain("Path: src/limit.ts")
  })
})
