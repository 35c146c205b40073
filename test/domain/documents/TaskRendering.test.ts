import { describe, expect, it } from "@effect/vitest"
import { plainTask, Task } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import {
  renderTaskReport,
  renderTask,
  renderTaskPart,
  renderTaskList
} from "../../../src/domain/documents/TaskRendering.ts"

const task = new Task({
  name: "Change 1",
  whatIsNeeded: "Change this:\n\n- **Skill** is a word here\n# so is this\n\n```ts\n# code stays\n```",
  skill: "edit-files",
  references: [
    { kind: "file", title: "[main]", href: "src/my main.ts", target: "src/my main.ts" },
    { kind: "anchor", title: "Project", href: "#project-description", target: "project-description" }
  ],
  expectedOutput: ": a diff",
  requiresApproval: true,
  codeBlocks: [
    { language: "ts", text: "const a = `\n```\n`" },
    { language: "", text: "" }
  ]
})

const file = (path: string) => ({ kind: "file", title: path, href: path, target: path }) as const

const whole = `- **Name** Change 1
- **What is needed** Change this:

  \\- **Skill** is a word here
  \\# so is this

  \`\`\`ts
  # code stays
  \`\`\`
- **Skill** edit-files
- **References** [\\[main\\]](<src/my main.ts>) [Project](#project-description)
- **Expected output** \\: a diff
- **Requires user approval**

\`\`\`\`ts
const a = \`
\`\`\`
\`
\`\`\`\`

\`\`\`
\`\`\``

it("renderTask writes a task as in a plan, for the refiner under its heading, and with the calls so far", () => {
  expect(renderTask(task)).toBe(whole)
  expect(renderTaskPart(task)).toBe(`## Task\n\n${whole}`)
  const calls = [{ uid: "a", name: "read_file", arguments: { path: "a.ts" } }]
  const section = `## Tool Calls\n\n\`\`\`json\n${JSON.stringify(calls[0], null, 2)}\n\`\`\`\n`
  expect(renderTaskReport({ task, calls })).toBe(`## Task\n\n${whole}\n\n${section}`)
})

it("renderTask writes names and paths as they are", () => {
  const references = ["src/my_file.go", "__init__.py", "a*b_.ts", "x&y!.ts"].map(file)
  const text = renderTask(new Task({ ...task, references }))
  expect(text).toContain(
    "- **References** [src/my_file.go](src/my_file.go) [`__init__.py`](__init__.py) [`a*b_.ts`](a*b_.ts) [`x&y!.ts`](x\\&y!.ts)"
  )
})

describe("renderTaskList", () => {
  const small = plainTask("A", "s", "a", "b")
  const list = new TaskList({
    goals: "Do.",
    steps: [new Step({ title: "Task section 1", tasks: [small, small] })]
  })
  const one = "- **Name** A\n- **What is needed** a\n- **Skill** s\n- **Expected output** b"

  it("writes the strict document", () => {
    expect(renderTaskList(list, { prompt: "Do it.\n" })).toBe(
      `## Original prompt\n\nDo it.\n\n## Goals / summary\n\nDo.\n\n## Tasks\n\n### Task section 1\n\n${one}\n\n${one}\n`
    )
  })

  it.each(["## Tasks", "a\n```", "Tasks", "<think>"])("fences a prompt that could be a part: %j", (prompt) => {
    expect(renderTaskList(list, { prompt })).toContain(`text\n${prompt}\n\``)
  })

  it("writes a list without tasks", () => {
    const empty = "## Original prompt\n\n## Goals / summary\n\ng\n\n## Tasks\n"
    expect(renderTaskList(new TaskList({ goals: "g", steps: [] }))).toBe(empty)
  })
})
