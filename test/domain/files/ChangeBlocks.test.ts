import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { type Change, readChanges } from "../../../src/domain/files/ChangeBlocks.ts"

const edit = (path: string, oldText: string, newText: string, line: number): Change => ({
  _tag: "Edit",
  path,
  oldText,
  newText,
  line
})
const file = (path: string, text: string, line: number, mustBeNew = false): Change => ({
  _tag: "File",
  path,
  text,
  mustBeNew,
  line
})
const replace = (pattern: string, text: string, except: ReadonlyArray<string>, line: number): Change => ({
  _tag: "Replace",
  pattern,
  with: text,
  except,
  line
})

const block = "<<<<<<< OLD\na = 1\n=======\na = 2\n>>>>>>> NEW"
const theEdit = (line: number, path = "src/a.ts") => edit(path, "a = 1\n", "a = 2\n", line)

/** What is read out of an answer, with the codes of what was found. */
const read = (answer: string) => {
  const { changes, issues, repairs, rest } = readChanges(answer)
  return { changes, issues: issues.map(({ code }) => code), repairs: repairs.map(({ code }) => code), rest }
}
const only = (changes: ReadonlyArray<Change>, rest = "", repairs: Array<string> = []): ReturnType<typeof read> => ({
  changes,
  issues: [],
  repairs,
  rest
})

/** Nothing of the answer is a change, and one issue says why. */
const assertRefused = (answer: string, code: string, what: string): void => {
  const { changes, issues } = readChanges(answer)
  assert.deepStrictEqual([changes, issues.map((found) => [found.code, found.what])], [[], [[code, what]]])
}

describe("a block", () => {
  /* All forms of such a line are in ChangePath.test.ts. */
  for (const path of ["src/a.ts", "### 1. `src/a.ts`", "**File:** `src/a.ts`", "[src/a.ts](src/a.ts)", "src/a.ts:12"]) {
    it(`takes its path from the line ${path}`, () =>
      assert.deepStrictEqual(read(`${path}\n${block}`), only([theEdit(2)])))
  }

  const fenced: ReadonlyArray<readonly [name: string, answer: string, line: number]> = [
    ["in a fence after its path", `src/a.ts\n\`\`\`ts\n${block}\n\`\`\``, 3],
    ["in a fence after its path and a blank line", `src/a.ts\n\n\`\`\`\n${block}\n\`\`\``, 4],
    ["in a fence whose info string is the path", `\`\`\`src/a.ts\n${block}\n\`\`\``, 2],
    ["in a fence whose info string ends with the path", `\`\`\`ts src/a.ts\n${block}\n\`\`\``, 2],
    ["in a fence whose info string has the path after the language", `\`\`\`ts:src/a.ts\n${block}\n\`\`\``, 2],
    ["in a fence with a title", `\`\`\`ts title="src/a.ts"\n${block}\n\`\`\``, 2],
    ["in a fence with the path as its first line", `\`\`\`ts\nsrc/a.ts\n${block}\n\`\`\``, 3],
    ["in a fence that repeats the path", `src/a.ts\n\`\`\`ts\nsrc/a.ts\n${block}\n\`\`\``, 4],
    ["in a fence of tildes", `src/a.ts\n~~~\n${block}\n~~~`, 3],
    ["in a fence without an end", `src/a.ts\n\`\`\`ts\n${block}`, 3]
  ]
  for (const [name, answer, line] of fenced) {
    it(`is read ${name}`, () => assert.deepStrictEqual(read(answer).changes, [theEdit(line)]))
  }

  const marks: ReadonlyArray<readonly [open: string, middle: string, close: string]> = [
    ["<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"],
    ["<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"],
    ["<<<<<<< old", "=======", ">>>>>>> new"],
    ["<<<<<<<OLD", "=======", ">>>>>>>NEW"],
    ["<<<<<<< OLD:", "=======", ">>>>>>> NEW:"],
    ["<<<<< OLD", "=====", ">>>>> NEW"],
    ["<<<<<<<<< OLD", "=========", ">>>>>>>>> NEW"],
    ["<<<<<<< OLD", "======", ">>>>>>>> NEW"],
    ["<<<<<<<", "=======", ">>>>>>>"],
    ["<<<<<<< OLD src/a.ts", "=======", ">>>>>>> NEW src/a.ts"],
    ["<<<<<<< OLD", "======= NEW", ">>>>>>> NEW"],
    ["<<<<<<< OLD ", "======= ", ">>>>>>> NEW "]
  ]
  for (const [open, middle, close] of marks) {
    it(`is read with the marks ${open}, ${middle}, ${close}`, () => {
      assert.deepStrictEqual(read(`src/a.ts\n${open}\na = 1\n${middle}\na = 2\n${close}`), only([theEdit(2)]))
    })
  }

  it("may be one of several under one path", () => {
    assert.deepStrictEqual(
      read(`src/a.ts\n${block}\n${block}\n\n${block}`),
      only([theEdit(2), theEdit(7), theEdit(13)])
    )
  })

  it("may be one of several in one fence", () => {
    const answer = `src/a.ts\n\`\`\`ts\n${block}\n\n${block}\n\`\`\`\nDone.`
    assert.deepStrictEqual(read(answer), only([theEdit(3), theEdit(9)], "Done."))
  })

  it("belongs to the path in its own fence, not to that of the block before", () => {
    const answer = `src/a.ts\n\`\`\`ts\n${block}\nsrc/b.ts\n${block}\n\`\`\``
    assert.deepStrictEqual(read(answer), only([theEdit(3), theEdit(9, "src/b.ts")]))
  })

  for (const path of ["docs/new file é.ts", "src/my dir/a.ts", "src/a b/c d/main.c"]) {
    it(`follows a path with blanks: ${path}`, () => {
      assert.deepStrictEqual(read(`${path}\n${block}`), only([theEdit(2, path)]))
      assert.deepStrictEqual(read(`### ${path}:\n\`\`\`\n${block}\n\`\`\``).changes, [theEdit(3, path)])
      const second = `src/b.ts\n${block}\n\n${path}\n<<<<<<< OLD\n=======\nnew\n>>>>>>> NEW\n${block}`
      assert.deepStrictEqual(
        read(second),
        only([theEdit(2, "src/b.ts"), file(path, "new\n", 9, true), theEdit(13, path)])
      )
    })
  }

  const sentences = [
    ..."Now change|And the same in|Then, for the tests,|Update|Updated:|**Updated:**|Fix:|Note:|Delete|Refactor|Put|Second hunk".split(
      "|"
    ),
    ..."Test file:|Bugs fixed:|Das ist die neue|Ersetze|lib/x now needs|src/ is in".split("|")
  ]
  for (const words of sentences) {
    it(`takes no sentence for a path with blanks: ${words}`, () => {
      assert.deepStrictEqual(read(`${words} src/a.ts\n${block}`).changes, [theEdit(2)])
    })
  }

  const others = [
    ..."- Bump package.json|Run node build.js|Uses Node.js|Python: main.py|See docs/ or a.ts|settings|Release Notes.md".split(
      "|"
    ),
    "And the second place, `a`:",
    "Like in `src/a.ts`:",
    "Between `src/a.ts` and `src/b.ts`:",
    "```ts my notes.md"
  ]
  for (const line of others) {
    it(`is no block of the file before it under ${line}`, () => {
      const { changes, issues } = readChanges(`src/a.ts\n${block}\n${line}\n${block}`)
      const text = `There is no path above this block: the line ${JSON.stringify(line)} names no file.`
      assert.deepStrictEqual([changes, issues.map(({ what }) => what)], [[theEdit(2)], [text]])
    })
  }

  it("follows a path with blanks no further than the longest path", () => {
    assert.deepStrictEqual(read(`src/x ${"a.".repeat(50_000)}ts\n${block}`).changes, [])
  })

  it("follows its path over sentences that name nothing", () => {
    const answer = `### src/a.ts\n\nThe limit \`a\` goes up.\n\nI change one line:\n\n${block}`
    const rest = "The limit `a` goes up.\n\nI change one line:"
    assert.deepStrictEqual(read(answer), only([theEdit(7)], rest))
    assert.deepStrictEqual(read(`### src/a.ts\n\nsettings\n\nI change one line:\n\n${block}`).changes, [])
  })

  it("takes the path from the sentence before it", () => {
    const answer = `src/a.ts\n${block}\n\nThe same has to change in \`src/b.ts\`, too:\n\n${block}`
    const rest = "The same has to change in `src/b.ts`, too:"
    assert.deepStrictEqual(read(answer), only([theEdit(2), theEdit(10, "src/b.ts")], rest, ["change-sentence"]))
  })

  it("takes the path from a sentence without backticks", () => {
    const answer = `src/a.ts\n${block}\n\nUpdate src/b.ts as well:\n\n\`\`\`ts\n${block}\n\`\`\``
    assert.deepStrictEqual(read(answer).changes, [theEdit(2), theEdit(11, "src/b.ts")])
  })

  it("of each file follows its own path, and the prose is left", () => {
    const answer = `I change both.\n\n### src/a.ts\n${block}\n\n### src/b.ts\n\n\`\`\`ts\n${block}\n\`\`\`\n\nThat is all.`
    assert.deepStrictEqual(read(answer), only([theEdit(4), theEdit(13, "src/b.ts")], "I change both.\n\nThat is all."))
  })

  const quoting = "docs/a.md\n<<<<<<< OLD\n\n  ```sh\n  x\n  ```\n=======\n```sh\ny\n```\n\n>>>>>>> NEW"
  it.each<[string, string, Change]>([
    ["may remove lines", "src/a.ts\n<<<<<<< OLD\na = 1\n=======\n>>>>>>> NEW", edit("src/a.ts", "a = 1\n", "", 2)],
    ["keeps blanks and fences", quoting, edit("docs/a.md", "\n  ```sh\n  x\n  ```\n", "```sh\ny\n```\n\n", 2)],
    ["may be indented in a list", `1. \`src/a.ts\`\n${block.replace(/^/gm, "   ")}`, theEdit(2)],
    ["may have line ends of Windows", `src/a.ts\n${block}`.replaceAll("\n", "\r\n"), theEdit(2)],
    ["may be new", "a.ts\n<<<<<<< OLD\n=======\nexport {}\n>>>>>>> NEW", file("a.ts", "export {}\n", 2, true)]
  ])("%s", (_, answer, change) => assert.deepStrictEqual(read(answer), only([change])))

  it("leaves out fences around both parts of code", () => {
    const answer = "src/a.ts\n<<<<<<< OLD\n```ts\na = 1\n```\n=======\n```ts\na = 2\n```\n>>>>>>> NEW"
    assert.deepStrictEqual(read(answer), only([theEdit(2)], "", ["change-fenced"]))
  })

  it("may hold marks of another length", () => {
    const old = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"
    const answer = `a.txt\n<<<<<<<<< OLD\n${old}=========\nb\n>>>>>>>>> NEW`
    assert.deepStrictEqual(read(answer), only([edit("a.txt", old, "b\n", 2)]))
  })
})

describe("a whole file", () => {
  const files: ReadonlyArray<readonly [name: string, answer: string, change: Change]> = [
    ["under its path", "src/new.ts\n```ts\nexport {}\n```", file("src/new.ts", "export {}\n", 2)],
    [
      "under its path in backticks",
      "`src/new.ts`:\n\n```typescript\nexport {}\n```",
      file("src/new.ts", "export {}\n", 3)
    ],
    ["under a heading", "### `src/new.ts`\n\n```ts\na\n\nb\n```", file("src/new.ts", "a\n\nb\n", 3)],
    ["under a label", "New file: src/new.ts\n```ts\na\n```", file("src/new.ts", "a\n", 2)],
    ["under a remark", "**src/new.ts** (new file)\n```ts\na\n```", file("src/new.ts", "a\n", 2)],
    ["with path=", "```ts path=src/new.ts\na\n```", file("src/new.ts", "a\n", 1)],
    ["with file=", 'Here it is:\n```ts file="src/new.ts"\na\n```', file("src/new.ts", "a\n", 2)],
    ["with title=", "```ts {title='src/new.ts'}\na\n```", file("src/new.ts", "a\n", 1)],
    ["with the path after the language", "```ts:src/new.ts\na\n```", file("src/new.ts", "a\n", 1)],
    [
      "of a name without an extension",
      "Makefile\n```makefile\nall:\n\techo\n```",
      file("Makefile", "all:\n\techo\n", 2)
    ],
    ["of data", "config/a.json\n```json\n{}\n```", file("config/a.json", "{}\n", 2)],
    ["with its path as first line", "src/new.ts\n```ts\nsrc/new.ts\na\n```", file("src/new.ts", "a\n", 2)],
    [
      "of markdown with fences in it",
      "docs/a.md\n```markdown\n# A\n```sh\nls\n```\nEnd.\n```",
      file("docs/a.md", "# A\n```sh\nls\n```\nEnd.\n", 2)
    ],
    ["in a longer fence", "docs/a.md\n````md\n```\nls\n```\n````", file("docs/a.md", "```\nls\n```\n", 2)]
  ]
  for (const [name, answer, change] of files) {
    it(`is read ${name}`, () => assert.deepStrictEqual(read(answer).changes, [change]))
  }

  const excerpts: ReadonlyArray<readonly [name: string, answer: string, repairs: Array<string>]> = [
    ["prose", "The limit is set in `src/a.ts`:\n```ts\nconst limit = 5\n```", []],
    ["prose after a path", "src/a.ts\n\nIt says:\n```ts\nconst limit = 5\n```", []],
    ["a path with a line", "src/a.ts:12\n```ts\nconst limit = 5\n```", []],
    ["the heading of a product", "### Node.js\n\n```js\nconst limit = 5\n```", []],
    ["a path, without a language", "src/a.ts\n```\nconst limit = 5\n```", ["change-quoted"]],
    ["a path, with an output", "src/a.ts\n```console\n$ npm test\n```", ["change-quoted"]],
    ["a path, with a call", 'src/a.ts\n```json\n{"name": "read_file"}\n```', ["change-quoted"]],
    ["a language with a path that is no title", "```ts src/a.ts\nconst limit = 5\n```", ["change-quoted"]],
    ["a sentence that says it is new", "Create the file `src/a.ts`:\n```ts\nconst limit = 5\n```", ["change-quoted"]],
    ["the heading of the report", "## Result summary\n\nsrc/a.ts\n```ts\nconst limit = 5\n```", []]
  ]
  for (const [name, answer, repairs] of excerpts) {
    it(`is not what follows ${name}`, () => {
      assert.deepStrictEqual(read(answer), { changes: [], issues: [], repairs, rest: answer })
    })
  }
})

const answer = (diff: string) => `\`\`\`diff\n${diff}\n\`\`\``
const gitHead = (to: string) => `diff --git a/a.ts b/${to}\n`
const git = (path: string) => `diff --git a/${path} b/${path}\nindex 1a2b..3c4d 100644\n--- a/${path}\n+++ b/${path}\n`

describe("a diff", () => {
  const header = "--- a/src/a.ts\n+++ b/src/a.ts\n"

  it("is an edit for each hunk", () => {
    const diff = `${header}@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b\n@@ -9 +9 @@ function x\n c\n+d`
    assert.deepStrictEqual(
      read(answer(diff)),
      only([edit("src/a.ts", "a = 1\nb\n", "a = 2\nb\n", 4), edit("src/a.ts", "c\n", "c\nd\n", 8)])
    )
  })

  it("may concern several files, as git writes it", () => {
    const diff = `${git("src/a.ts")}@@ -1 +1 @@\n-a = 1\n+a = 2\n${git("src/b.ts")}@@ -1 +1 @@\n-a = 1\n+a = 2`
    assert.deepStrictEqual(read(answer(diff)), only([theEdit(6), theEdit(13, "src/b.ts")]))
  })

  it("takes the path from the line before it, and needs no hunk header", () => {
    assert.deepStrictEqual(read(`src/a.ts\n${answer("-a = 1\n+a = 2")}`), only([theEdit(3)]))
  })

  it("may create a file", () => {
    const diff = "--- /dev/null\n+++ b/src/new.ts\n@@ -0,0 +1,2 @@\n+a\n+b"
    assert.deepStrictEqual(read(answer(diff)), only([file("src/new.ts", "a\nb\n", 2, true)]))
  })

  it("has blank lines that lost their blank", () => {
    const diff = `${header}@@ -1,3 +1,3 @@\n-a = 1\n+a = 2\n\n b\n`
    assert.deepStrictEqual(read(answer(diff)).changes, [edit("src/a.ts", "a = 1\n\nb\n", "a = 2\n\nb\n", 4)])
  })

  it("may remove a line that looks like a header", () => {
    const diff = `${header}@@ -1,2 +1 @@\n--- x\n a`
    assert.deepStrictEqual(read(answer(diff)).changes, [edit("src/a.ts", "-- x\na\n", "a\n", 4)])
  })

  it("is read without a fence", () => {
    const text = `I raise it.\n\n${header}@@ -1 +1 @@\n-a = 1\n+a = 2\n\nThat is all.`
    assert.deepStrictEqual(read(text), only([theEdit(5)], "I raise it.\n\nThat is all."))
  })

  it("may be a patch without line numbers", () => {
    const patch = [
      "*** Begin Patch",
      "*** Update File: src/a.ts",
      "@@ function f() {",
      "-a = 1",
      "+a = 2",
      "*** Add File: src/new.ts",
      "+b",
      "*** End Patch"
    ].join("\n")
    assert.deepStrictEqual(read(patch), only([theEdit(3), file("src/new.ts", "b\n", 6, true)]))
    assert.deepStrictEqual(read(`\`\`\`\n${patch}\n\`\`\``), only([theEdit(4), file("src/new.ts", "b\n", 7, true)]))
  })

  const wrong: ReadonlyArray<readonly [name: string, diff: string, code: string, what: string]> = [
    ["names no file", "@@ -1 +1 @@\n-a\n+b", "change-path", "The diff names no file."],
    [
      "has no old lines",
      `${header}@@ -5,0 +6 @@\n+a`,
      "change-diff",
      "A part of the diff of src/a.ts has no old lines."
    ],
    ["changes nothing", `${header}@@ -1 +1 @@\n a`, "change-diff", "A part of the diff of src/a.ts changes nothing."],
    ["is empty", "", "change-diff", "The diff is empty."],
    ["has no hunk", header, "change-diff", "The diff of src/a.ts has no lines."]
  ]
  for (const [name, diff, code, what] of wrong) {
    it(`is an issue when it ${name}`, () => {
      assertRefused(answer(diff), code, what)
    })
  }

  it.each([
    ["removes one", "--- a/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a", "Remove a.ts"],
    ["removes one for git", `${gitHead("a.ts")}deleted file mode 100644\n--- a/a.ts\n+++ /dev/null`, "Remove a.ts"],
    ["deletes one", "*** Begin Patch\n*** Delete File: a.ts\n*** End Patch", "Remove a.ts"],
    ["renames one", `${gitHead("b.ts")}similarity index 100%\nrename from a.ts\nrename to b.ts`, "Move a.ts b.ts"],
    ["renames and changes one", "--- a/a.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-a\n+b", "Move a.ts b.ts, Edit b.ts"],
    [
      "moves one",
      "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-a\n+b\n*** End Patch",
      "Move a.ts b.ts, Edit b.ts"
    ]
  ])("changes a whole file when it %s", (_, diff, expected) => {
    const { changes, issues } = readChanges(answer(diff))
    const found = changes.map((one) =>
      [one._tag, "path" in one ? one.path : "", "to" in one ? one.to : ""].join(" ").trim()
    )
    assert.deepStrictEqual([found.join(", "), issues], [expected, []])
  })

  it("is quoted in a report", () => {
    const text = `## Result summary\n\nDone:\n\n${answer(`${header}@@ -1 +1 @@\n-a\n+b`)}`
    assert.deepStrictEqual(read(text), only([], text))
  })
})

const change = (line: number) => replace("limit", "maximum", ["docs/a.md:4"], line)

describe("a replacement", () => {
  const one = '{"replace": "limit", "with": "maximum", "except": ["docs/a.md:4"]}'

  it("is read in a fence", () => {
    assert.deepStrictEqual(read(`I rename it.\n\n\`\`\`json\n${one}\n\`\`\``), only([change(4)], "I rename it."))
  })

  it("is read alone", () => assert.deepStrictEqual(read(`${one}\n\nThat is all.`), only([change(1)], "That is all.")))

  it("is read over several lines", () => {
    assert.deepStrictEqual(read('{\n  "replace": "a.b",\n  "with": ""\n}'), only([replace("a.b", "", [], 1)]))
  })

  it("is read several times", () => {
    const two = '{"replace": "a", "with": "b", "except": "c.ts:1"}'
    assert.deepStrictEqual(read(`\`\`\`\n${one}\n${two}\n\`\`\``), only([change(2), replace("a", "b", ["c.ts:1"], 2)]))
  })

  it("is not what another object says", () => {
    for (const other of ['{"name": "acme", "replace": {"a": "*"}}', '{"replace": "a", "name": "b"}', '{"a": 1}']) {
      const text = `\`\`\`json\n${other}\n\`\`\``
      assert.deepStrictEqual(read(text), only([], text))
    }
  })

  const wrong: ReadonlyArray<readonly [text: string, what: string]> = [
    ['{"replace": "a\nb", "with": "c"}', "The replacement is not JSON."],
    ['{"replace": "a"}', 'The replacement lacks the text for "replace" or "with".'],
    ['{"replace": "", "with": "c"}', 'The replacement lacks the text for "replace" or "with".'],
    ['{"replace": "a", "with": "a"}', "The replacement would change nothing."],
    ['{"replace": "a", "with": "b", "only": "c"}', 'The replacement has the key "only", which says nothing.']
  ]
  for (const [text, what] of wrong) {
    it(`is an issue as ${text}`, () => {
      assertRefused(`\`\`\`json\n${text}\n\`\`\``, "change-replace", what)
    })
  }
})

const remove = (path: string, line: number) => ({ _tag: "Remove", path, line })
const move = (line: number) => ({ _tag: "Move", path: "a.ts", to: "b.ts", line })

describe("an object that moves or removes a file", () => {
  it.each<[string, ReadonlyArray<unknown>]>([
    ['{"remove": "src/old.ts"}', [remove("src/old.ts", 1)]],
    ['```json\n{ "delete": "src/old.ts" }\n```', [remove("src/old.ts", 2)]],
    ['{"move": "a.ts", "to": "b.ts"}', [move(1)]],
    ['{\n  "rename": "a.ts",\n  "to": "b.ts"\n}', [move(1)]],
    ['```\n{"move": "a.ts", "to": "b.ts"}\n{"remove": "c.ts"}\n```', [move(2), remove("c.ts", 2)]],
    ['[{"remove": "a.ts"}, {"remove": "b.ts"}]', []],
    ['{"remove": "a.ts", "name": "x"}', []],
    ['{"remove": ["a.ts"]}', []],
    ['{"scripts": {"move": "a", "to": "b"}}', []]
  ])("is read as %s", (text, expected) => assert.deepStrictEqual<unknown>(readChanges(text).changes, expected))

  it.each([
    ['{"move": "a.ts"}', 'The move lacks the new path for "to".'],
    ['{"move": "a.ts", "to": 3}', 'The move lacks the new path for "to".'],
    ['{"move": "a.ts", "to": "a.ts"}', "The move would change nothing."],
    ['{"remove": " "}', 'The path of "remove" is empty.']
  ])("is an issue as %s", (text, what) => assertRefused(text, "change-replace", what))
})

describe("what cannot be read", () => {
  const several =
    "2 lines of the block can be the line between OLD and NEW. Marks of another length, 5 to 9 signs, tell them apart."
  it.each([
    [`Here:\n\n${block}`, 'change-path 3: There is no path above this block: the line "Here:" names no file.'],
    ["src/a.ts\n<<<<<<< OLD\na = 1\n=======\na =", "change-unfinished 2: The block lacks the line >>>>>>> NEW."],
    ["src/a.ts\n<<<<<<< OLD\na = 1", "change-unfinished 2: The block lacks the line ======= and the line >>>>>>> NEW."],
    ["src/a.ts\n<<<<<<< OLD\na = 1\na = 2\n>>>>>>> NEW", "change-unfinished 2: The block lacks the line =======."],
    ["docs/a.rst\n<<<<<<< OLD\nTitle\n=======\nText\n=======\nTitle\n>>>>>>> NEW", `change-marks 2: ${several}`],
    ["src/a.ts\n```ts\na", "change-unfinished 2: The fence with the whole file has no end."],
    ["I will write a block:\n\n>>>>>>> NEW", "change-marks 3: The mark belongs to no block."],
    ["src/a.ts\n<<< OLD\na\n===\nb\n", "change-marks 2: The mark belongs to no block."],
    ["src/a.ts\n\nOLD:\n```ts\na\n```\nNEW:\n```ts\nb\n```", "change-marks 3: The old text has no marks."],
    ["```\n>>>>>>>>>> REPLACE\n```", "change-marks 2: The mark belongs to no block."]
  ])("is an issue: %j", (answer, expected) => {
    const { changes, issues } = readChanges(answer)
    const said = issues.map(({ code, what, where }) => `${code} ${where.line}: ${what}`)
    assert.deepStrictEqual([changes, said], [[], [expected]])
    assert.include(issues[0]?.how, "<<<<<<< OLD\nconst limit = 5\n=======\n")
  })

  it("loses neither the block nor the path after it", () => {
    const answer = `src/a.ts\n\`\`\`ts\n<<<<<<< OLD\nx\n\`\`\`\n\nsrc/b.ts\n\`\`\`ts\n${block}\n\`\`\``
    const { changes, issues } = read(answer)
    assert.deepStrictEqual([changes, issues], [[theEdit(9, "src/b.ts")], ["change-unfinished"]])
  })

  it("does not take the report with it", () => {
    const answer = "src/a.ts\n```ts\n<<<<<<< OLD\nx\n```\n\n## Result summary\n\nDone."
    const { issues, rest } = read(answer)
    assert.deepStrictEqual([issues, rest], [["change-unfinished"], "## Result summary\n\nDone."])
  })

  it("is told beside what can be read", () => {
    const { changes, issues } = read(`src/a.ts\n${block}\n${block.replace(">>>>>>> NEW", "")}`)
    assert.deepStrictEqual([changes, issues], [[theEdit(2)], ["change-unfinished"]])
  })

  it("has no part in an answer without changes", () => {
    const text = "## Result summary\n\nThe limit is `5`.\n\nHeading\n=======\n\n> quoted\n\n```console\n$ ls\n```"
    assert.deepStrictEqual(read(text), only([], text))
  })

  it("is not a conflict of git that is quoted", () => {
    const text = "There is a conflict:\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n```"
    assert.deepStrictEqual(read(text), only([], text))
  })
})

const textOf = (parts: ReadonlyArray<string>) => parts.map((part) => `${part}\n`).join("")
/** Marks of 9 signs, which no line of the text has. */
const render = ({ newText, oldText, path: named }: Change & { readonly _tag: "Edit" }) =>
  `\`${named}\`\n<<<<<<<<< OLD\n${oldText}=========\n${newText}>>>>>>>>> NEW\n`

describe("changes as blocks", () => {
  const line = Schema.Literals([
    "a",
    "  b()",
    "",
    "\tc",
    "=======",
    "<<<<<<< OLD",
    ">>>>>>> NEW",
    "```ts",
    "// src/x.ts",
    "é…"
  ])
  const lines = Schema.Array(line)
  const path = Schema.Literals(["src/a.ts", "README.md", "a b.txt", "Makefile", ".gitignore", "lib\\x.py"])
  const changes = Arbitrary.array(Arbitrary.schema(Schema.Struct({ path, oldLines: lines, newLines: lines })), {
    maxLength: 4
  })

  it.prop("are read back as they were", { changes }, ({ changes: drawn }) => {
    const edits = drawn
      .map(({ newLines, oldLines, path: named }) => edit(named, textOf(oldLines), textOf(newLines), 0))
      .filter((one) => one._tag === "Edit" && one.oldText.trim() !== "")
    const answer = edits.map((one) => (one._tag === "Edit" ? render(one) : "")).join("\nNext:\n\n")
    const found = readChanges(answer)
    assert.deepStrictEqual(found.issues, [])
    assert.deepStrictEqual(
      found.changes.map((one) => (one._tag === "Edit" ? edit(one.path, one.oldText, one.newText, 0) : one)),
      edits
    )
  })
})

const fenced = (line: string) => `\`\`\`\n${line}\n\`\`\``

describe("what belongs to a change", () => {
  it("is no path of a fence below it", () => {
    const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-y\n+src/b.ts"
    const { changes } = readChanges(`${diff}\n\n\`\`\`ts\nconst b = 1\n\`\`\``)
    assert.deepStrictEqual(changes, [edit("x.ts", "y\n", "src/b.ts\n", 3)])
  })

  it.each(["a.md", "a.mdx", "a.rst", "a.txt", "docs/page"])("are fences that stand in a text such as %s", (path) => {
    const { changes } = readChanges(`${path}\n<<<<<<< OLD\n${fenced("x")}\n=======\n${fenced("y")}\n>>>>>>> NEW`)
    assert.deepStrictEqual(changes, [edit(path, `${fenced("x")}\n`, `${fenced("y")}\n`, 2)])
  })

  it("is not left as text, and neither is a fence around the whole answer", () => {
    const wrapped = `\`\`\`\`markdown\nsrc/a.ts\n\`\`\`ts\n${"a = 2\n"}\`\`\`\n\`\`\`\``
    const { changes, rest } = readChanges(wrapped)
    assert.deepStrictEqual([changes.map(({ _tag }) => _tag), rest], [["File"], ""])
  })
})
