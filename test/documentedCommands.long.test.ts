/**
 * The commands that the documentation shows exist, and its sessions print what they show, with the program as it is packed.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { newPlugin } from "../src/app/templates.ts"
import { type CommandForms, commandForms, problemOf } from "./support/CommandForms.ts"
import { installPacked, npmEnvironment } from "./support/PackedMachine.ts"
import { needs } from "./support/needs.ts"
import { blocksOf, codeInProse } from "./support/PageBlocks.ts"
import { fits, followPage } from "./support/PageSession.ts"
import { type Registry, startRegistry } from "./support/Registry.ts"
import { conductorArguments } from "./support/ShellWords.ts"
import { nodeTest } from "./support/nodeTest.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))
const pages = [
  "README.md",
  ...["*", "guide/*", "reference/*"].flatMap((each) => globSync(`docs/${each}.md`, { cwd: repository }))
]
const shells = new Set(["", "console", "sh", "bash", "yaml"])

type Given = "whole" | "named"

/** The command lines of a page with their place: those in blocks are whole, prose may only name a command. */
const linesOf = (page: string): ReadonlyArray<readonly [place: string, line: string, given: Given]> => [
  ...blocksOf(page)
    .filter(({ language }) => shells.has(language))
    .flatMap(({ lines, place }) =>
      lines.map((line) => [place, line.replace(/^\$ |^\s*(?:- )?run: /, ""), "whole"] as const)
    ),
  ...codeInProse(page).map((code) => [page, code, "named"] as const)
]

const problemsOf = (forms: CommandForms, line: string, given: Given): ReadonlyArray<string> =>
  conductorArguments(line).flatMap((words) => problemOf(forms, words, given) ?? [])

const compare = (shown: string, printed: string) => fits({ shown: shown.split("\n"), printed: printed.split("\n") })

const example = (file: string) => readFileSync(join(repository, "examples/plugin-word-count", file), "utf8")

describe("documented commands", () => {
  nodeTest("name commands, flags and arguments that exist", function* () {
    const forms = yield* commandForms
    const lines = pages.flatMap(linesOf).filter(([, line]) => conductorArguments(line).length > 0)
    const wrong = lines.flatMap(([place, line, given]) =>
      problemsOf(forms, line, given).map((problem) => `${place}: ${line}: ${problem}`)
    )
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(lines.length, 60)
  })

  nodeTest("are told apart from mistakes", function* () {
    const forms = yield* commandForms
    const rows: ReadonlyArray<[line: string, ...problems: ReadonlyArray<string>]> = [
      ["A=1 B=2 npx task-conductor run -m x 'a \"b\" | c' > x | head -1 # no"],
      ['cat x | task-conductor run "one" two --temperatur 1', "has no flag --temperatur"],
      ["task-conductor show last one", "has no room for one"],
      ["task-conductor check && npx task-conductor runs prune --older-than 30", "needs FILE"],
      ["task-conductor run --model", "needs a value for --model"],
      ["task-conductor learn", "has no command learn"]
    ]
    for (const [line, ...problems] of rows) assert.deepStrictEqual(problemsOf(forms, line, "whole"), problems)
  })
})

describe("documented sessions", needs("bash", "tar"), () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-pages-")))
  /** It has what the program needs, and not the program. */
  let registry: Registry
  beforeAll(async () => {
    installPacked(root)
    registry = await startRegistry(repository)
  })
  afterAll(() => {
    registry.close()
    rmSync(root, { recursive: true, force: true })
  })

  for (const page of pages.filter((one) => blocksOf(one).some(({ language }) => language === "console"))) {
    it(`of ${page} print what it shows`, async () => {
      const steps = await followPage(root, page, npmEnvironment(root, registry.url))
      assert.isAbove(steps.length, 0)
      for (const step of steps.filter((one) => !fits(one))) {
        assert.deepStrictEqual(step.printed, step.shown, `${step.place}: ${step.command}`)
      }
    })
  }

  it("are compared line by line, without what differs from run to run", () => {
    assert.isTrue(compare("run 20261121-020505-ti7t\n...\ndone 1.7 s", "run 20261122-183236-zcak\na\n\ndone 20 ms"))
    assert.isTrue(compare("...\nend", "end"))
    for (const printed of ["a\nb", "a", "a\nc\nd", "b\nc"]) assert.isFalse(compare("a\n...\nc", printed), printed)
    assert.isFalse(compare("done: 1 result", "done: 2 results"))
  })
})

it("the plugin page is about the package that its first command makes", async () => {
  const made = await Effect.runPromise(
    Effect.provide(newPlugin("task-conductor-plugin-word-count", "0.1.0"), NodeServices.layer)
  )
  for (const file of ["index.js", "index.test.js"]) assert.strictEqual(made[file], example(file))
  const shown =
    blocksOf("docs/reference/plugins.md")
      .find(({ language }) => language === "js")
      ?.lines.join("\n") ?? "none"
  assert.include(made["index.js"], shown)
})
