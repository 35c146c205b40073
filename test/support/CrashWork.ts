/**
 * The work of the run of CrashRun: twelve tasks in three steps, one of which changes a file in several turns, and what a model says that does
 * them as they stand.
 */
import type { CrashWork } from "./CrashRun.ts"
import type { ChatBody } from "./FakeOllamaScript.ts"
import { planOf, refinementWith, resultSaying } from "./TestRun.ts"

/** A skill that may use these tools. */
export const skillOf = (name: string, tools: string): string =>
  `---\nname: ${name}\ndescription: Does anything. Use it in tests.\nallowed-tools: "${tools}"\n---\n\n## Refinement\n\nMake the calls.\n\n## Execution\n\nSay what was found.\n`

interface Call {
  readonly name: string
  readonly arguments: object
}

const write = (path: string, content: string): Call => ({ name: "write_file", arguments: { path, content } })
const clock: Call = { name: "get_current_time", arguments: {} }

/** What each task does, by step. Two of them write a file again that an earlier one wrote. */
const steps: ReadonlyArray<Readonly<Record<string, ReadonlyArray<Call>>>> = [
  {
    "Write 1": [write("out/one.txt", "one\n")],
    "Write 2": [write("out/two.txt", "two\n"), write("out/three.txt", "three\n")],
    "Tell the time": [clock],
    "Look 1": [{ name: "read_file", arguments: { path: "notes.md" } }]
  },
  {
    "Write 3": [write("out/one.txt", "one again\n")],
    "Write 4": [write("notes.md", "# Changed\n"), clock],
    "Look 2": [{ name: "read_file", arguments: { path: "other.md" } }],
    "Talk 1": []
  },
  {
    "Write 5": [write("out/deep/er/four.txt", Array.from({ length: 200 }, (_, line) => `line ${line}\n`).join(""))],
    "Write 6": [write("out/one.txt", "one for the last time\n")],
    "Talk 2": [],
    "Edit 1": [
      { name: "edit_file", arguments: { path: "other.md", old_text: "other", new_text: "other and more" } },
      clock
    ]
  }
]

const calls = Object.assign({}, ...steps) as Readonly<Record<string, ReadonlyArray<Call>>>

const plan = planOf(
  steps.map((tasks) =>
    Object.entries(tasks).map(([name, made]) => ({ name, skill: made.length === 0 ? "talk" : "any" }))
  )
)

/** What tasks do in the turns before that: the second turn changes a file in the working copy, the last one changes it again. */
const before: Readonly<Record<string, ReadonlyArray<ReadonlyArray<Call>>>> = {
  "Edit 1": [
    [{ name: "read_file", arguments: { path: "other.md" } }, clock],
    [{ name: "edit_file", arguments: { path: "other.md", old_text: "# Other", new_text: "# The other" } }]
  ]
}

/** What the model says; it depends on nothing but the stage, the task and the turn. */
export const answer = ({ messages }: ChatBody): string => {
  const [system, user] = [messages[0]?.content ?? "", messages[1]?.content ?? ""]
  const [, task = ""] = /^## Task\n+- \*\*Name\*\* (.+)$/m.exec(user) ?? []
  switch (/^# Stage: (\w+)$/m.exec(system)?.[1]) {
    case "creation":
      return plan
    case "task": {
      const turns = [...(before[task] ?? []), calls[task] ?? []].filter((made) => made.length > 0)
      const asked = turns[messages.filter(({ role }) => role === "assistant").length]
      return asked === undefined ? resultSaying(`${task} is done.`) : refinementWith(asked)
    }
    case "iteration":
      return planOf([])
    default:
      return "All is done."
  }
}

export const twelveTasks: CrashWork = {
  files: {
    "config/task-conductor/skills/any/SKILL.md": skillOf("any", "get_current_time write_file edit_file read_file"),
    "config/task-conductor/skills/talk/SKILL.md": skillOf("talk", ""),
    "project/notes.md": "# Notes\n",
    "project/other.md": "# Other\n"
  },
  prompt: "Do the twelve tasks.",
  flags: ["--allow", "write_file", "--allow", "edit_file", "--allow", "read_file"],
  answer
}
