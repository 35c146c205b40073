/** Text that would do something to a terminal, or that hides, is not printed, from wherever it comes. */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import { causeText } from "../../src/services/tools/ForeignCode.ts"
import { fileSandbox } from "../support/fileSandbox.ts"

const sandbox = fileSandbox()

/** Bidirectional, zero width, line separator, C1 control, tag character, soft hyphen; those below U+0020 are in `escapes`. */
const hidden = "a\u202eb\u2066c\u200bd\u2028e\u009bf\u{e0041}g\u00adh\ufeffi"
const escapes = "\u001b[31m\u0007"

const hostile = `${hidden}${escapes}`

const isPlain = (text: string): boolean => !/(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(text)

const plan = (needed: string): string =>
  `## Original prompt\n\n${needed}\n\n## Goals / summary\n\nIt is done.\n\n## Tasks\n\n### Task section 1\n\n- **Name** Sum 1\n- **What is needed** ${needed}\n- **Skill** summarize\n- **References** [Project](#project-description)\n- **Expected output** A word.\n`

sandbox.write("project/AGENTS.md", `A project about the port ${hidden}.\n`)
sandbox.write("project/plan.md", plan(hidden))
sandbox.write("project/broken.md", `## ${hidden}\n\nno plan\n`)
sandbox.write(
  `project/.task-conductor/skills/odd/SKILL.md`,
  `---\nname: odd\ndescription: Use it when ${hidden}.\n---\n\nDo it.\n`
)

const json: ReadonlyArray<ReadonlyArray<string>> = [
  ["run", "--model", "embedded", "--plan", "plan.md", "--json"],
  ["plan", "--model", "embedded", "--json", hidden],
  ["check", "broken.md", "--json"],
  ["check", "plan.md", "broken.md", "--format", "sarif"],
  ["runs", "--json"],
  ["show", "last", "--json"],
  ["skills", "list", "--json"],
  ["skills", "describe", "odd", "--json"],
  ["tools", "list", "--json"],
  ["run", "--model", "embedded", "--json", hidden],
  ["permissions", "explain", "read_file", JSON.stringify({ path: hidden }), "--json"]
]

const wrong: ReadonlyArray<ReadonlyArray<string>> = [
  ["run", `--${hidden}${escapes}`],
  [hostile],
  ["run", "--skill", hostile, "--model", "embedded", "hi"],
  ["run", "--allow", hostile, "hi"],
  ["check", "plan.md", "--kind", hostile],
  ["tools", "describe", hostile],
  ["permissions", "revoke", hostile],
  ["resume", hostile]
]

const titleOf = (args: ReadonlyArray<string>) => args.map((one) => (one.includes(hidden) ? "TEXT" : one)).join(" ")

describe("hidden characters", () => {
  for (const args of json) {
    it(`stand as escapes in the JSON of ${titleOf(args)}`, async () => {
      const { stdout } = await sandbox.run(args)
      assert.isTrue(isPlain(stdout), JSON.stringify(stdout))
      assert.notStrictEqual(stdout, "")
      const values = args.includes("run") ? stdout.trimEnd().split("\n") : [stdout]
      for (const one of values) JSON.parse(one)
    })
  }
})

describe("a message about a mistake", () => {
  for (const args of wrong) {
    it(`shows without its power what was given: ${titleOf(args)}`, async () => {
      const { code, stderr } = await sandbox.run(args)
      assert.notStrictEqual(code, 0)
      assert.notStrictEqual(stderr, "")
      assert.isTrue(isPlain(stderr), JSON.stringify(stderr))
    })
  }
})

describe("what a plugin throws", () => {
  for (const [name, module] of [
    ["error", `throw new Error(${JSON.stringify(hostile)})`],
    ["syntax", `const ${hidden}`]
  ] as const) {
    it(`is shown without its power: ${name}`, async () => {
      sandbox.write(`project/${name}.mjs`, module)
      const { stderr } = await sandbox.run(["tools", "list", "--plugin", `./${name}.mjs`])
      assert.match(stderr, /plugin/)
      assert.isTrue(isPlain(stderr), JSON.stringify(stderr))
    })
  }

  const error = Object.assign(new Error(""), { name: hostile })
  it.each([hostile, error, Symbol(hostile)].map((cause) => Cause.die(cause)))(
    "has no power as cause of a failure: $reasons",
    (cause) => {
      const text = causeText(cause)
      assert.isTrue(isPlain(text), JSON.stringify(text))
      assert.include(text, "\\u{202e}")
    }
  )
})
