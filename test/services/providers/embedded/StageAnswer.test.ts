import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readRefinement } from "../../../../src/domain/documents/RefinementFormat.ts"
import type { Task } from "../../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../../src/domain/plan/TaskList.ts"
import { readTaskList } from "../../../../src/domain/documents/TaskListFormat.ts"
import { TaskFailure } from "../../../../src/domain/plan/TaskResult.ts"
import { stageAnswer } from "../../../../src/services/providers/embedded/StageAnswer.ts"
import { finished, taskFor } from "../../../support/sampleTasks.ts"
import { referenceText, StagePrompts } from "../../../support/StagePrompts.ts"

/** The calls of an answer; the task must come back as it was. */
const callsIn = (answer: string, task: Task) => {
  const { issues, repairs, value } = readRefinement(answer, { task })
  assert.deepStrictEqual([issues, repairs], [[], []])
  const refinement = Option.getOrThrow(value)
  assert.deepStrictEqual(refinement.task, task)
  return refinement.calls.map(({ arguments: given, name, uid }) => [uid, name, given])
}

const found = referenceText(
  "Search 1",
  "#search-1-results",
  "Found 2 lines in 2 files:\n\n- [src/a.ts](src/a.ts#L30) `one`\n- [src/b c.ts](<src/b c.ts#L5>) `two`"
)

const disclosure =
  "*The built-in demo wrote this. It is not a language model: it quotes what the tools found and concludes nothing. Choose a model with `--model` for an answer that does.*"

layer(StagePrompts.layer)("the answer to the first message of a task", (it) => {
  it.effect("gives the calls that the words of the task can fill", () =>
    Effect.gen(function* () {
      const { refinement } = yield* StagePrompts
      const task = taskFor("search-code", 'Find the lines of the project that hold "loadUser".')
      assert.strictEqual(
        stageAnswer(refinement(task)),
        `## Tool Calls

\`\`\`json
{
  "uid": "call-1",
  "name": "search_files",
  "arguments": {
    "pattern": "loadUser"
  }
}
\`\`\``
      )
    })
  )

  it.effect.each([
    {
      name: "searches once for each key word of a task that somebody else wrote",
      task: taskFor("search-code", "Find out how sessions expire and who renews them."),
      calls: [
        ["call-1", "search_files", { pattern: "session" }],
        ["call-2", "search_files", { pattern: "expire" }],
        ["call-3", "search_files", { pattern: "renew" }]
      ]
    },
    {
      name: "lists the files when there is no word to search for",
      task: taskFor("search-code", "List the files of the project."),
      calls: [["call-1", "get_file_tree", {}]]
    },
    {
      name: "reads the files that the task names, around the line if there is one",
      task: taskFor("read-code", "Read src/a.ts:100 and docs/b.md to see what happens."),
      calls: [
        ["call-1", "read_file", { path: "src/a.ts", start_line: 80, end_line: 120 }],
        ["call-2", "read_file", { path: "docs/b.md" }]
      ]
    },
    {
      name: "reads the files that results point to",
      task: taskFor("read-code", "Read what was found."),
      references: found,
      calls: [
        ["call-1", "read_file", { path: "src/a.ts", start_line: 10, end_line: 50 }],
        ["call-2", "read_file", { path: "src/b c.ts", start_line: 1, end_line: 25 }]
      ]
    },
    {
      name: "writes the text of the code block",
      task: taskFor("edit-files", "Write the file a.md with the text of the code block.", {
        requiresApproval: true,
        codeBlocks: [{ language: "text", text: "one\n\n```\ntwo" }]
      }),
      calls: [["call-1", "write_file", { path: "a.md", content: "one\n\n```\ntwo\n" }]]
    },
    {
      name: "writes the results that the task refers to",
      task: taskFor("edit-files", "Write the file docs/a.md with the results."),
      references: referenceText("Search 1", "#search-1-results", "## Result summary\n\nFound it."),
      calls: [["call-1", "write_file", { path: "docs/a.md", content: "Found it.\n" }]]
    },
    {
      name: "writes nothing that the task does not order",
      task: taskFor("edit-files", "Which text does docs/a.md hold?"),
      references: found,
      calls: [["call-1", "read_file", { path: "docs/a.md" }]]
    },
    {
      name: "searches for what a change without a file is about",
      task: taskFor("edit-files", "Make it better."),
      calls: [["call-1", "search_files", { pattern: "better" }]]
    }
  ])("$name", ({ calls, references, task }) =>
    Effect.gen(function* () {
      const { refinement } = yield* StagePrompts
      assert.deepStrictEqual(callsIn(stageAnswer(refinement(task, references)), task), calls)
    })
  )

  it.effect("reports at once when the task holds nothing to fill a call with", () =>
    Effect.gen(function* () {
      const { refinement } = yield* StagePrompts
      const answer = stageAnswer(refinement(taskFor("research-web", "Make it better.")))
      assert.strictEqual(answer, `## Result summary\n\n- Nothing was found.\n\n## Details\n\n${disclosure}`)
    })
  )

  it.effect("does not take for a result what it says of itself", () =>
    Effect.gen(function* () {
      const { execution } = yield* StagePrompts
      const said = `## Result summary\n\n- Nothing was found for \`session\`.\n\n## Details\n\n${disclosure}`
      const task = taskFor("summarize", "Summarize the results.")
      const answer = stageAnswer(execution(task, [], referenceText("Search 1", "#search-1-results", said)))
      assert.strictEqual(answer, said)
    })
  )

  it.effect.prop(
    "answers with a document that can be read, whatever the task says",
    { text: Schema.String },
    ({ text }) =>
      Effect.gen(function* () {
        const { refinement } = yield* StagePrompts
        const task = taskFor("search-code", `Find "a" and ${text.replace(/\s+/g, " ").trim()}.`)
        assert.isAbove(callsIn(stageAnswer(refinement(task)), task).length, 0)
      })
  )
})

const outstanding = [
  new Step({ title: "Task section 2", tasks: [taskFor("summarize", "Sum it up.", { name: "Summary" })] })
]
const failures = [new TaskFailure({ task: "Search 1", phase: "execution", reason: "No.", skipped: false })]

layer(StagePrompts.layer)("the answer to an iteration prompt", (it) => {
  it.effect("keeps the goals and leaves no task when all have run", () =>
    Effect.gen(function* () {
      const { iteration } = yield* StagePrompts
      assert.strictEqual(
        stageAnswer(iteration("Where is it?", { finished: [finished("Search 1", "There.")] })),
        "## Original prompt\n\n```text\nWhere is it?\n```\n\n## Goals / summary\n\nIt is known.\n\n## Tasks"
      )
    })
  )

  it.effect.each([
    { name: "leaves no task when some failed: it knows no better way", state: { finished: [], failures, outstanding } },
    { name: "keeps tasks that were not reached yet", state: { finished: [], outstanding }, steps: outstanding }
  ])("$name", ({ state, steps }) =>
    Effect.gen(function* () {
      const { iteration } = yield* StagePrompts
      const reading = readTaskList(stageAnswer(iteration("Where is it?", state)), { allowEmpty: true })
      assert.deepStrictEqual([reading.issues, reading.repairs], [[], []])
      assert.deepStrictEqual(
        Option.getOrThrow(reading.value),
        new TaskList({ goals: "It is known.", steps: steps ?? [] })
      )
    })
  )
})

layer(StagePrompts.layer)("the answer to a conclusion prompt", (it) => {
  it.effect("answers with the lines that the results list, and says what it is", () =>
    Effect.gen(function* () {
      const { conclusion } = yield* StagePrompts
      const results = [
        finished("Search 2", "- Nothing was found for `session`."),
        finished("Search 1", "Found 2 lines in 2 files:\n\n- [b.ts](b.ts#L2) `x`\n- [a.ts](a.ts#L10) `loadUser`"),
        finished("Summary", "Found 1 line in 1 file:\n\n- [a.ts](a.ts#L10) `loadUser`")
      ]
      assert.strictEqual(
        stageAnswer(conclusion("Where is loadUser?", results)),
        `Found 2 lines in 2 files:

- [a.ts](a.ts#L10) \`loadUser\`
- [b.ts](b.ts#L2) \`x\`

- Nothing was found for \`session\`.

${disclosure}`
      )
    })
  )

  it.effect("says once what several results say, and keeps outputs with what they are outputs of", () =>
    Effect.gen(function* () {
      const { conclusion } = yield* StagePrompts
      const note = "- Nothing was found for `session`."
      const output = "- `run_command` gave:\n\n```text\n# 1\nok\n```"
      const results = [finished("Search 1", note), finished("Run 1", output), finished("Summarize 1", note)]
      assert.strictEqual(
        stageAnswer(conclusion("Where is loadUser?", results)).split(`\n\n${disclosure}`)[0],
        `${output}\n\n${note}`
      )
    })
  )

  it.effect("says what failed, and that there is no answer when nothing finished", () =>
    Effect.gen(function* () {
      const { conclusion } = yield* StagePrompts
      const failure = new TaskFailure({ task: "Read 1", phase: "execution", reason: "No result.", skipped: false })
      assert.strictEqual(
        stageAnswer(conclusion("Where?", [], [failure])),
        `No task finished, so there is no answer.

These tasks failed, and what they were to find is missing:

- Task execution: "Read 1": No result.

${disclosure}`
      )
    })
  )
})
