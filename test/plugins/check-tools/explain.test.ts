import { assert, describe, it } from "@effect/vitest"
import { rules } from "../../../src/domain/findings/rules/Rules.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"

const sandbox = fileSandbox()

const explain = (...words: ReadonlyArray<string>) => sandbox.run(["explain", ...words])

describe("explain", () => {
  it("shows what a rule means, what to do, and an example", async () => {
    const { code, stderr, stdout } = await explain("reference-glob")
    assert.deepStrictEqual([code, stderr], [0, ""])
    const paragraphs = stdout.trim().split("\n\n")
    assert.match(paragraphs[0] ?? "", /^reference-glob: /)
    assert.match(paragraphs[1] ?? "", /^An issue: the text is rejected, and its author gets the message\. /)
    assert.strictEqual(paragraphs[2], "To do: Link each file by its own path, or let the task search for files.")
    assert.include(stdout, "Before: the value of *References*")
  })

  it("names the source of a repair, and the files that an example needs", async () => {
    const { stdout } = await explain("tool-call-syntax", "reference-denied")
    assert.match(stdout, /^Source: /m)
    assert.include(stdout, "files: src/main.ts, src/config.ts")
  })

  it("has an example of every rule, and lists all without a code", async () => {
    const listed = JSON.parse((await explain("--json")).stdout) as ReadonlyArray<{
      code: string
      example?: { before: string; after: string }
    }>
    assert.deepStrictEqual(
      listed.map(({ code }) => code),
      rules.map(({ code }) => code)
    )
    assert.deepStrictEqual(
      listed.filter(({ example }) => example === undefined || example.before === example.after).map(({ code }) => code),
      []
    )
    const { stdout } = await explain()
    for (const { code, title } of rules) assert.match(stdout, new RegExp(`^  ${code} +`, "m"), title)
  })

  it("names near codes for one that does not exist", async () => {
    const { code, stderr } = await explain("reference-globs")
    assert.strictEqual(code, 2)
    assert.include(stderr, "There is no rule reference-globs. Did you mean reference-glob")
  })
})
