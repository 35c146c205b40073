import { assert, describe, it } from "@effect/vitest"
import { importsIn, pointerIn, withImports } from "../../../src/domain/models/Imports.ts"

const sure = (text: string) => importsIn(text).map(({ isSure }) => isSure)

describe("a text that names another file", () => {
  it.each<[text: string, path: string | undefined, isSure?: boolean]>([
    ["CLAUDE.md", "CLAUDE.md", true],
    ["docs/rules.md\n", "docs/rules.md", true],
    ["../../AGENTS.md", "../../AGENTS.md", true],
    ["docs/RULES", "docs/RULES", true],
    ["docs/my rules.md", "docs/my rules.md", false],
    ["Use tabs", "Use tabs", false],
    ...["Always use tabs.", "# Rules", "- tabs", "@docs/rules.md", "CLAUDE.md\nGEMINI.md", "`npm test`", ""].map(
      (text): [string, undefined] => [text, undefined]
    )
  ])("is a pointer when it holds only a path: %j", (text, path, isSure = false) => {
    assert.deepStrictEqual(pointerIn(text), path === undefined ? undefined : { path, isSure })
  })

  it.each([
    ["@docs/rules.md", "docs/rules.md"],
    ["- @docs/rules.md", "docs/rules.md"],
    ["See @README.md and @package.json.", "README.md, package.json"],
    ["Rules (@docs/a.md), @./b.md, @../c.md", "docs/a.md, ./b.md, ../c.md"],
    ["@~/.claude/me.md", "~/.claude/me.md"],
    ["@docs/my\\ rules.md", "docs/my rules.md"],
    ["`@docs/a.md` and ``@b.md``", ""],
    ["```\n@docs/a.md\n```\n@docs/b.md", "docs/b.md"],
    ["~~~~md\n```\n@docs/a.md\n~~~~", ""],
    ["<!-- @docs/a.md -->", ""],
    ["Write to me@example.org.", ""],
    ["a/@b.md", ""]
  ])("imports what stands after an @ outside of code and comments: %j", (text, paths) => {
    assert.strictEqual(
      importsIn(text)
        .map(({ path }) => path)
        .join(", "),
      paths
    )
  })

  it("is sure of what can only be a file", () => {
    assert.deepStrictEqual(sure("Use @effect/vitest and @Component here"), [false, false])
    assert.deepStrictEqual(sure("See @docs/a.md and @./RULES"), [true, true])
    assert.deepStrictEqual(sure("@RULES"), [true])
  })

  it("holds the imported texts in their place, or at its end", () => {
    const text = "Rules:\n@a.md\nSee @b.md too."
    const [a, b] = importsIn(text)
    assert.strictEqual(
      withImports(text, [
        { at: a!, from: "a.md", text: "Use tabs." },
        { at: b!, from: "b.md", text: "Be brief." }
      ]),
      "Rules:\nUse tabs.\nSee @b.md too.\n\n(From b.md:)\n\nBe brief."
    )
  })
})
