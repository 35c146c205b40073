import { assert, describe, it } from "@effect/vitest"
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

/** The changes in an answer, what else it says, and what was repaired. */
type Reading = [name: string, answer: string, changes: ReadonlyArray<Change>, rest?: string, repairs?: Array<string>]
const assertReading = (...[, answer, changes, rest, repairs]: Reading): void =>
  assert.deepStrictEqual(read(answer), only(changes, rest, repairs))

/** Nothing of the answer is a change, and one issue says why. */
const assertRefused = (answer: string, code: string, what: string): void => {
  const { changes, issues } = readChanges(answer)
  assert.deepStrictEqual([changes, issues.map((found) => [found.code, found.what])], [[], [[code, what]]])
}

const fence = (text: string, info = ""): string => `\`\`\`${info}\n${text}\n\`\`\``

describe("a block", () => {
  it.each([
    ["below its path", `**File:** \`src/a.ts\`\n${block}`, 2],
    ["below a path with a line", `src/a.ts:12\n${block}`, 2],
    ["in a fence below its path", `src/a.ts\n${fence(block, "ts")}`, 3],
    ["in a fence below its path and a blank line", `src/a.ts\n\n${fence(block)}`, 4],
    ["in a fence whose info string is the path", fence(block, "src/a.ts"), 2],
    ["in a fence with the path as its first line", fence(`src/a.ts\n${block}`, "ts"), 3],
    ["in a fence that repeats the path", `src/a.ts\n${fence(`src/a.ts\n${block}`, "ts")}`, 4],
    ["in a fence without an end", `src/a.ts\n\`\`\`ts\n${block}`, 3]
  ])("is read %s", (_, answer, line) => assert.deepStrictEqual(read(answer).changes, [theEdit(line)]))

  it.each([
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
  ])("is read with the marks %s, %s, %s", (open, middle, close) => {
    assert.deepStrictEqual(read(`src/a.ts\n${open}\na = 1\n${middle}\na = 2\n${close}`), only([theEdit(2)]))
  })

  const both = [theEdit(3), theEdit(9, "src/b.ts")]
  const quoting = "docs/a.md\n<<<<<<< OLD\n\n  ```sh\n  x\n  ```\n=======\n```sh\ny\n```\n\n>>>>>>> NEW"
  const conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n"
  const parts = ["a = 1", "a = 2"].map((text) => fence(text, "ts"))
  const hint = "The limit `a` goes up.\n\nI change one line:"
  const too = "The same has to change in `src/b.ts`, too:"
  const ofSentence = [theEdit(2), theEdit(10, "src/b.ts")]
  const fencedParts = `src/a.ts\n<<<<<<< OLD\n${parts.join("\n=======\n")}\n>>>>>>> NEW`
  const longMarks = `a.txt\n<<<<<<<<< OLD\n${conflict}=========\nb\n>>>>>>>>> NEW`
  it.each<Reading>([
    ["with others", `src/a.ts\n${block}\n${block}\n\n${block}`, [theEdit(2), theEdit(7), theEdit(13)]],
    ["with others in a fence", `src/a.ts\n${fence(`${block}\n\n${block}`)}\nX.`, [theEdit(3), theEdit(9)], "X."],
    ["below the path in its own fence", `src/a.ts\n${fence(`${block}\nsrc/b.ts\n${block}`)}`, both],
    ["below sentences", `### src/a.ts\n\n${hint}\n\n${block}`, [theEdit(7)], hint],
    ["below a sentence with a path", `src/a.ts\n${block}\n\n${too}\n\n${block}`, ofSentence, too, ["change-sentence"]],
    ["among prose", `Both.\n\n### src/a.ts\n\n${block}\n\nThat is all.`, [theEdit(5)], "Both.\n\nThat is all."],
    ["that removes lines", "a.ts\n<<<<<<< OLD\na\n=======\n>>>>>>> NEW", [edit("a.ts", "a\n", "", 2)]],
    ["with blanks and fences", quoting, [edit("docs/a.md", "\n  ```sh\n  x\n  ```\n", "```sh\ny\n```\n\n", 2)]],
    ["indented in a list", `1. \`src/a.ts\`\n${block.replace(/^/gm, "   ")}`, [theEdit(2)]],
    ["with line ends of Windows", `src/a.ts\n${block}`.replaceAll("\n", "\r\n"), [theEdit(2)]],
    ["with other fences", "a.ts\n<<<<<<< OLD\n```\n~~~\n=======\n>>>>>>> NEW", [edit("a.ts", "```\n~~~\n", "", 2)]],
    ["that is new", "a.ts\n<<<<<<< OLD\n=======\nx\n>>>>>>> NEW", [file("a.ts", "x\n", 2, true)]],
    ["without the fences around both parts", fencedParts, [theEdit(2)], "", ["change-fenced"]],
    ["that holds marks of another length", longMarks, [edit("a.txt", conflict, "b\n", 2)]]
  ])("is read %s", assertReading)

  it.each(["docs/new file é.ts", "src/my dir/a.ts", "src/a b/c d/main.c"])("follows a path with blanks: %s", (path) => {
    assert.deepStrictEqual(read(`${path}\n${block}`), only([theEdit(2, path)]))
    assert.deepStrictEqual(read(`### ${path}:\n\`\`\`\n${block}\n\`\`\``).changes, [theEdit(3, path)])
    const second = `src/b.ts\n${block}\n\n${path}\n<<<<<<< OLD\n=======\nnew\n>>>>>>> NEW\n${block}`
    const changes = [theEdit(2, "src/b.ts"), file(path, "new\n", 9, true), theEdit(13, path)]
    assert.deepStrictEqual(read(second), only(changes))
  })

  const sentences = [
    ..."Now change|And the same in|Then, for the tests,|Update|**Updated:**|Fix:|Note:|Delete|Put".split("|"),
    ..."Second hunk|Test file:|Bugs fixed:|Das ist die neue|Ersetze|lib/x now needs|src/ is in".split("|")
  ]
  it.each(sentences)("takes no sentence for a path with blanks: %s", (words) => {
    assert.deepStrictEqual(read(`${words} src/a.ts\n${block}`).changes, [theEdit(2)])
  })

  it.each([
    ..."- Bump package.json|Run node build.js|Python: main.py|See docs/ or a.ts|settings|Release Notes.md".split("|"),
    "And the second place, `a`:",
    "Like in `src/a.ts`:",
    "Between `src/a.ts` and `src/b.ts`:",
    "```ts my notes.md"
  ])("is no block of the file before it under %s", (line) => {
    const { changes, issues } = readChanges(`src/a.ts\n${block}\n${line}\n${block}`)
    const text = `There is no path above this block: the line ${JSON.stringify(line)} names no file.`
    assert.deepStrictEqual([changes, issues.map(({ what }) => what)], [[theEdit(2)], [text]])
  })

  it("takes no path that is too long, or that text separates from it", () => {
    assert.deepStrictEqual(read(`src/x ${"a.".repeat(50_000)}ts\n${block}`).changes, [])
    assert.deepStrictEqual(read(`### src/a.ts\n\nsettings\n\nI change one line:\n\n${block}`).changes, [])
  })
})

describe("a whole file", () => {
  const nested = "# A\n```sh\nls\n```\nEnd."
  it.each<[string, string, Change]>([
    ["under its path", `src/new.ts\n${fence("a", "ts")}`, file("src/new.ts", "a\n", 2)],
    ["under a heading", `### \`src/new.ts\`\n\n${fence("a\n\nb", "ts")}`, file("src/new.ts", "a\n\nb\n", 3)],
    ["under a remark", `**src/new.ts** (new file)\n${fence("a", "ts")}`, file("src/new.ts", "a\n", 2)],
    ["with title=", fence("a", "ts {title='src/new.ts'}"), file("src/new.ts", "a\n", 1)],
    ["of a name without an extension", `Makefile\n${fence("all:", "makefile")}`, file("Makefile", "all:\n", 2)],
    ["of data", `config/a.json\n${fence("{}", "json")}`, file("config/a.json", "{}\n", 2)],
    ["with its path as first line", `src/new.ts\n${fence("src/new.ts\na", "ts")}`, file("src/new.ts", "a\n", 2)],
    ["with fences in it", `docs/a.md\n${fence(nested, "markdown")}`, file("docs/a.md", `${nested}\n`, 2)],
    ["in a longer fence", "docs/a.md\n````md\n```\nls\n```\n````", file("docs/a.md", "```\nls\n```\n", 2)]
  ])("is read %s", (_, answer, change) => assert.deepStrictEqual(read(answer).changes, [change]))

  const code = fence("const limit = 5", "ts")
  it.each<[string, string, Array<string>]>([
    ["prose", `The limit is set in \`src/a.ts\`:\n${code}`, []],
    ["prose after a path", `src/a.ts\n\nIt says:\n${code}`, []],
    ["a path with a line", `src/a.ts:12\n${code}`, []],
    ["the heading of a product", `### Node.js\n\n${code}`, []],
    ["a path, without a language", `src/a.ts\n${fence("a")}`, ["change-quoted"]],
    ["a path, with an output", `src/a.ts\n${fence("$ npm test", "console")}`, ["change-quoted"]],
    ["a path, with a call", `src/a.ts\n${fence('{"name": "read_file"}', "json")}`, ["change-quoted"]],
    ["a language with a path that is no title", fence("a", "ts src/a.ts"), ["change-quoted"]],
    ["a sentence that says it is new", `Create the file \`src/a.ts\`:\n${code}`, ["change-quoted"]],
    ["the heading of the report", `## Result summary\n\nsrc/a.ts\n${code}`, []]
  ])("is not what follows %s", (_, answer, repairs) => {
    assert.deepStrictEqual(read(answer), only([], answer, repairs))
  })
})

const answer = (diff: string) => fence(diff, "diff")
const gitHead = (to: string) => `diff --git a/a.ts b/${to}\n`
const git = (path: string) => `diff --git a/${path} b/${path}\nindex 1a2b..3c4d 100644\n--- a/${path}\n+++ b/${path}\n`

describe("a diff", () => {
  const header = "--- a/src/a.ts\n+++ b/src/a.ts\n"
  const one = "@@ -1 +1 @@\n-a = 1\n+a = 2"
  const added = "@@ -9 +9 @@ function x\n c\n+d"
  const patch = `*** Begin Patch
*** Update File: src/a.ts
@@ function f() {
-a = 1
+a = 2
*** Add File: src/new.ts
+b
*** End Patch`
  const lostBlank = edit("src/a.ts", "a = 1\n\nb\n", "a = 2\n\nb\n", 4)
  const likeHeader = edit("src/a.ts", "-- x\na\n", "a\n", 4)
  const ofGit = `${git("src/a.ts")}${one}\n${git("src/b.ts")}${one}`
  const report = `## Result summary\n\nDone:\n\n${answer(`${header}${one}`)}`

  it.each<Reading>([
    ["as edits of its hunks", answer(`${header}${one}\n${added}`), [theEdit(4), edit("src/a.ts", "c\n", "c\nd\n", 7)]],
    ["of several files, as git writes it", answer(ofGit), [theEdit(6), theEdit(13, "src/b.ts")]],
    ["with the path above it and no header", `src/a.ts\n${answer("-a = 1\n+a = 2")}`, [theEdit(3)]],
    ["of a new file", answer("--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1 @@\n+a"), [file("a.ts", "a\n", 2, true)]],
    ["with a line that lost its blank", answer(`${header}@@ -1,3 +1,3 @@\n-a = 1\n+a = 2\n\n b\n`), [lostBlank]],
    ["that removes a line like a header", answer(`${header}@@ -1,2 +1 @@\n--- x\n a`), [likeHeader]],
    ["without a fence", `I raise it.\n\n${header}${one}\n\nThat is all.`, [theEdit(5)], "I raise it.\n\nThat is all."],
    ["as a patch", patch, [theEdit(3), file("src/new.ts", "b\n", 6, true)]],
    ["as a patch in a fence", fence(patch), [theEdit(4), file("src/new.ts", "b\n", 7, true)]],
    ["not in a report, which quotes it", report, [], report]
  ])("is read %s", assertReading)

  const part = "A part of the diff of src/a.ts"
  it.each([
    ["names no file", "@@ -1 +1 @@\n-a\n+b", "change-path", "The diff names no file."],
    ["has no old lines", `${header}@@ -5,0 +6 @@\n+a`, "change-diff", `${part} has no old lines.`],
    ["changes nothing", `${header}@@ -1 +1 @@\n a`, "change-diff", `${part} changes nothing.`],
    ["is empty", "", "change-diff", "The diff is empty."],
    ["has no hunk", header, "change-diff", "The diff of src/a.ts has no lines."]
  ])("is an issue when it %s", (_, diff, code, what) => assertRefused(answer(diff), code, what))

  const moving = "*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-a\n+b\n*** End Patch"
  it.each([
    ["removes one", "--- a/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a", "Remove a.ts"],
    ["removes one for git", `${gitHead("a.ts")}deleted file mode 100644\n--- a/a.ts\n+++ /dev/null`, "Remove a.ts"],
    ["deletes one", "*** Begin Patch\n*** Delete File: a.ts\n*** End Patch", "Remove a.ts"],
    ["renames one", `${gitHead("b.ts")}similarity index 100%\nrename from a.ts\nrename to b.ts`, "Move a.ts b.ts"],
    ["renames and changes one", "--- a/a.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-a\n+b", "Move a.ts b.ts, Edit b.ts"],
    ["moves one", moving, "Move a.ts b.ts, Edit b.ts"]
  ])("changes a whole file when it %s", (_, diff, expected) => {
    const { changes, issues } = readChanges(answer(diff))
    const found = changes.map((one) =>
      [one._tag, "path" in one ? one.path : "", "to" in one ? one.to : ""].join(" ").trim()
    )
    assert.deepStrictEqual([found.join(", "), issues], [expected, []])
  })
})

const change = (line: number) => replace("limit", "maximum", ["docs/a.md:4"], line)

describe("a replacement", () => {
  const one = '{"replace": "limit", "with": "maximum", "except": ["docs/a.md:4"]}'
  const two = '{"replace": "a", "with": "b", "except": "c.ts:1"}'
  const others = ['{"name": "acme", "replace": {"a": "*"}}', '{"replace": "a", "name": "b"}', '{"a": 1}']
  it.each<Reading>([
    ["in a fence", `I rename it.\n\n${fence(one, "json")}`, [change(4)], "I rename it."],
    ["alone", `${one}\n\nThat is all.`, [change(1)], "That is all."],
    ["over several lines", '{\n  "replace": "a.b",\n  "with": ""\n}', [replace("a.b", "", [], 1)]],
    ["several times", fence(`${one}\n${two}`), [change(2), replace("a", "b", ["c.ts:1"], 2)]],
    ...others.map((other): Reading => ["not from another object", fence(other, "json"), [], fence(other, "json")])
  ])("is read %s", assertReading)

  it.each([
    ['{"replace": "a\nb", "with": "c"}', "The replacement is not JSON."],
    ['{"replace": "a"}', 'The replacement lacks the text for "replace" or "with".'],
    ['{"replace": "", "with": "c"}', 'The replacement lacks the text for "replace" or "with".'],
    ['{"replace": "a", "with": "a"}', "The replacement would change nothing."],
    ['{"replace": "a", "with": "b", "only": "c"}', 'The replacement has the key "only", which says nothing.']
  ])("is an issue as %s", (text, what) => assertRefused(fence(text, "json"), "change-replace", what))
})

const remove = (path: string, line: number) => ({ _tag: "Remove", path, line })
const move = (line: number) => ({ _tag: "Move", path: "a.ts", to: "b.ts", line })

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
])("an object that moves or removes a file is read as %s", (text, expected) =>
  assert.deepStrictEqual<unknown>(readChanges(text).changes, expected)
)

it.each([
  ['{"move": "a.ts"}', 'The move lacks the new path for "to".'],
  ['{"move": "a.ts", "to": 3}', 'The move lacks the new path for "to".'],
  ['{"move": "a.ts", "to": "a.ts"}', "The move would change nothing."],
  ['{"remove": " "}', 'The path of "remove" is empty.']
])("an object that moves or removes a file is an issue as %s", (text, what) =>
  assertRefused(text, "change-replace", what)
)

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

  const unfinished = "src/a.ts\n```ts\n<<<<<<< OLD\nx\n```\n\n"
  it.each([
    ["the block and the path after it", `${unfinished}src/b.ts\n${fence(block)}`, [theEdit(9, "src/b.ts")], ""],
    ["the report", `${unfinished}## Result summary\n\nDone.`, [], "## Result summary\n\nDone."],
    ["what can be read", `src/a.ts\n${block}\n${block.replace(">>>>>>> NEW", "")}`, [theEdit(2)], ""]
  ])("does not take with it %s", (_, answer, changes, rest) => {
    assert.deepStrictEqual(read(answer), { changes, issues: ["change-unfinished"], repairs: [], rest })
  })

  it.each([
    "## Result summary\n\nThe limit is `5`.\n\nHeading\n=======\n\n> quoted\n\n```console\n$ ls\n```",
    "There is a conflict of git:\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n```"
  ])("has no part in an answer without changes: %j", (text) => assert.deepStrictEqual(read(text), only([], text)))
})

describe("what belongs to a change", () => {
  it("is no path of a fence below it", () => {
    const diff = "--- a/x.ts\n+++ b/x.ts\n@@ -1 +1 @@\n-y\n+src/b.ts"
    const { changes } = readChanges(`${diff}\n\n\`\`\`ts\nconst b = 1\n\`\`\``)
    assert.deepStrictEqual(changes, [edit("x.ts", "y\n", "src/b.ts\n", 3)])
  })

  it.each(["a.md", "a.mdx", "a.rst", "a.txt", "docs/page"])("are fences that stand in a text such as %s", (path) => {
    const { changes } = readChanges(`${path}\n<<<<<<< OLD\n${fence("x")}\n=======\n${fence("y")}\n>>>>>>> NEW`)
    assert.deepStrictEqual(changes, [edit(path, `${fence("x")}\n`, `${fence("y")}\n`, 2)])
  })

  it("is not left as text, and neither is a fence around the whole answer", () => {
    const wrapped = `\`\`\`\`markdown\nsrc/a.ts\n\`\`\`ts\n${"a = 2\n"}\`\`\`\n\`\`\`\``
    const { changes, rest } = readChanges(wrapped)
    assert.deepStrictEqual([changes.map(({ _tag }) => _tag), rest], [["File"], ""])
  })
})
