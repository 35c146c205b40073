import { assert, it } from "@effect/vitest"
import { questionOf } from "../../../src/domain/documents/OtherForm.ts"
import { readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"

it.each([
  ['```json\n{"goals": "Raise it.", "tasks": [{"name": "Edit 1", "skill": "edit-files"}]}\n```', "is JSON"],
  ['[{"task": "Edit 1"}]', "is JSON"],
  ["src/a.ts\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", "changes files"],
  ['<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>', "is a tool call"],
  ["<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>", "is a tool call"],
  ['```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```', "is a tool call"],
  ["## Result summary\n\nThe limit is raised.", "is a report"],
  ["Which file do you mean: src/a.ts or src/b.ts?", "is a question"],
  ["Before I plan:\n\n1. Which framework is used?\n2. Do old limits stay valid?", "is a question"]
])("an answer in the place of a task list is named in the only issue: %s", (text, what) => {
  const { issues } = readTaskList(text)
  assert.lengthOf(issues, 1)
  assert.include(issues[0]?.what, what)
  assert.include(issues[0]?.how, '"## Tasks"')
})

it.each(["1. Read src/limits.ts\n2. Raise the limit", "```ts\nconst a = 1\n```", "I cannot do that.", ""])(
  "an answer in the place of a task list says what is missing where the form is unknown: %j",
  (text) => assert.lengthOf(readTaskList(text).issues, 3)
)

it("a question of the model is a short text of which half the lines ask", () => {
  assert.isDefined(questionOf("Which one?"))
  assert.isUndefined(questionOf("## Tasks\n\nWhich one?"))
  assert.isUndefined(questionOf("It is done. Anything else?\nThe limit is 5.\nThe file is a.ts."))
})
