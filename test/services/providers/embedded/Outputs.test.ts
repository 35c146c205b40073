import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readResult } from "../../../../src/domain/documents/ResultFormat.ts"
import { stageAnswer } from "../../../../src/services/providers/embedded/StageAnswer.ts"
import { failed, gave, taskFor } from "../../../support/sampleTasks.ts"
import { referenceText, StagePrompts } from "../../../support/StagePrompts.ts"

/** The summary of an answer, which must need no repair. */
const summaryIn = (answer: string): string => {
  const { issues, repairs, value } = readResult(answer)
  assert.deepStrictEqual([issues, repairs], [[], []])
  return Option.getOrThrow(value).summary
}

const search = (pattern: string, output: string, uid?: string) => gave("search_files", { pattern }, output, uid)

const task = taskFor("search-code", 'Find the lines that hold "loadUser".')

layer(StagePrompts.layer)("the report of a task", (it) => {
  it.effect("quotes what a search found with file and line, declarations first", () =>
    Effect.gen(function* () {
      const { execution } = yield* StagePrompts
      const output = [
        "9 matches in 3 files. Shown by file: src/app/runLayers.ts 1 of 7, src/odd name.ts 1, src/user.ts 1. For others name a file with path, or give a higher max_results.",
        "src/app/runLayers.ts:3: await loadUser(id)",
        "src/odd name.ts:9:   log(`loadUser ${id}`)",
        "src/user.ts:12: export const loadUser = (id: string) => {"
      ]
      assert.strictEqual(
        stageAnswer(execution(task, [search("loadUser", output.join("\n"))])).split("\n\n## Details\n")[0],
        `## Result summary

Found 3 lines in 3 files:

- [src/user.ts](src/user.ts#L12) \`export const loadUser = (id: string) => {\`
- [src/app/runLayers.ts](src/app/runLayers.ts#L3) \`await loadUser(id)\`
- [src/odd name.ts](<src/odd name.ts#L9>) \`\`log(\`loadUser \${id}\`)\`\`

- \`search_files\`: 9 matches in 3 files; not all are shown.`
      )
    })
  )

  it.effect(
    "quotes a declaration before what imports or names it, and then the file that is named after the word",
    () =>
      Effect.gen(function* () {
        const { execution } = yield* StagePrompts
        const output = [
          "README.md:1: It calls `export const loadUser`.",
          "src/app/runLayers.ts:1: import { type loadUser } from './loadUser.ts'",
          "src/loadUser.ts:1: // loadUser",
          "src/loadUser.ts:2: export const loadUser = 1"
        ]
        const summary = summaryIn(stageAnswer(execution(task, [search("loadUser", output.join("\n"))])))
        assert.deepStrictEqual(
          [...summary.matchAll(/^- \[(.+?)\]\(.+?#L(\d)\)/gm)].map(([, path, line]) => `${path}:${line}`),
          ["src/loadUser.ts:2", "src/loadUser.ts:1", "README.md:1", "src/app/runLayers.ts:1"]
        )
      })
  )

  it.effect("links files whatever their names are", () =>
    Effect.gen(function* () {
      const { execution } = yield* StagePrompts
      const output = ["100%20.txt:1: loadUser", "c#.md:1: loadUser", "half[.md:1: loadUser", "pair[0].md:1: loadUser"]
      assert.strictEqual(
        summaryIn(stageAnswer(execution(task, [search("loadUser", output.join("\n"))]))),
        [
          "Found 4 lines in 4 files:\n",
          "- [100%20.txt](100%2520.txt#L1) `loadUser`",
          "- [c#.md](c%23.md#L1) `loadUser`",
          "- [half\\[.md](half[.md#L1) `loadUser`",
          "- [pair[0].md](pair[0].md#L1) `loadUser`"
        ].join("\n")
      )
    })
  )

  it.effect.each([
    {
      name: "says what was searched for when nothing was found",
      outcomes: [search("loadUser", 'No line of the 4 files holds "loadUser".')],
      summary: "- Nothing was found for `loadUser`."
    },
    {
      name: "says that a call failed, and why",
      outcomes: [failed("read_file", { path: "src/a.ts" }, "not_found", "There is no file src/a.ts.")],
      summary: "- `read_file` on [src/a.ts](src/a.ts) failed: `ERROR (not_found): There is no file src/a.ts.`"
    },
    {
      name: "takes two calls of one tool for two calls",
      outcomes: [search("a", "No line.", "call-1"), search("b", "x.ts:1: b", "call-2")],
      summary: "Found 1 line in 1 file:\n\n- [x.ts](x.ts#L1) `b`\n\n- Nothing was found for `a`."
    },
    {
      name: "quotes the lines of a file that bear on the task, with their numbers",
      outcomes: [gave("read_file", { path: "src/a.ts", start_line: 40 }, "import x\n\nloadUser()\nother()")],
      summary: "Found 1 line in 1 file:\n\n- [src/a.ts](src/a.ts#L42) `loadUser()`"
    },
    {
      name: "quotes the first lines of a file when none bears on the task",
      outcomes: [gave("read_file", { path: "a.md" }, "# Title\n\nText\n")],
      summary: "Found 2 lines in 1 file:\n\n- [a.md](a.md#L1) `# Title`\n- [a.md](a.md#L3) `Text`"
    },
    {
      name: "lists the files of a tree",
      outcomes: [gave("get_file_tree", {}, ["a.ts", "src/b.ts"])],
      summary: "The project has 2 files:\n- [a.ts](a.ts)\n- [src/b.ts](src/b.ts)"
    },
    {
      name: "names the file that was written, and does not repeat what it was written from",
      outcomes: [gave("write_file", { path: "docs/a.md", content: "x" }, "--- a\n+++ b")],
      references: referenceText("Search 1", "#search-1-results", "- [x.ts](x.ts#L1) `b`"),
      summary: "- `write_file` wrote [docs/a.md](docs/a.md)."
    },
    {
      name: "quotes the output of a tool that it does not know",
      outcomes: [gave("word_count", { path: "a.md" }, { words: 7 })],
      summary: '- `word_count` gave:\n\n```text\n{\n  "words": 7\n}\n```'
    },
    {
      name: "merges the lines that results list, each place once",
      outcomes: [],
      references:
        referenceText(
          "Search 1",
          "#search-1-results",
          "## Result summary\n\n- [x.ts](x.ts#L1) `loadUser` \n- [y.ts](y.ts#L2) `b`"
        ) + referenceText("Search 2", "#search-2-results", "- [y.ts](y.ts#L2) `b`\n- Nothing was found for `c`."),
      summary:
        "Found 2 lines in 2 files:\n\n- [x.ts](x.ts#L1) `loadUser`\n- [y.ts](y.ts#L2) `b`\n\n- Nothing was found for `c`."
    },
    {
      name: "quotes a file that the task refers to",
      outcomes: [],
      references: referenceText("a.ts", "src/a.ts#L10-L12", "one\nloadUser()\nthree"),
      summary: "Found 1 line in 1 file:\n\n- [src/a.ts](src/a.ts#L11) `loadUser()`"
    },
    {
      name: "quotes a section of the request",
      outcomes: [],
      references: referenceText(
        "Project description",
        "#project-description",
        "## Project description\n\nSells things."
      ),
      summary: "- Project description:\n\n```text\n## Project description\nSells things.\n```"
    },
    { name: "says that nothing was found when there is nothing", outcomes: [], summary: "- Nothing was found." }
  ])("$name", ({ outcomes, references, summary }) =>
    Effect.gen(function* () {
      const { execution } = yield* StagePrompts
      assert.strictEqual(summaryIn(stageAnswer(execution(task, outcomes, references))), summary)
    })
  )

  it.effect("quotes at most twelve lines and says how many there are", () =>
    Effect.gen(function* () {
      const { execution } = yield* StagePrompts
      const rows = Array.from({ length: 20 }, (_, index) => `a.ts:${index + 1}: loadUser(${index})`)
      const summary = summaryIn(stageAnswer(execution(task, [search("loadUser", rows.join("\n"))])))
      assert.strictEqual(summary.split("\n")[0], "Found 20 lines in 1 file, the 12 nearest to the task:")
      assert.strictEqual(summary.split("\n").filter((line) => line.startsWith("- ")).length, 12)
    })
  )

  it.effect.prop("gives a result that can be read, whatever a tool says", { output: Schema.String }, ({ output }) =>
    Effect.gen(function* () {
      const { execution } = yield* StagePrompts
      for (const text of [output, `a.ts:1: ${output}`, `\`\`\`\n${output}\n## Result summary`]) {
        const outcomes = [search("x", text), gave("read_file", { path: "a.ts" }, text, "call-2")]
        assert.notStrictEqual(summaryIn(stageAnswer(execution(task, outcomes))), "")
      }
    })
  )
})
