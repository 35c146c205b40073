/**
 * The work of killed runs with working copies: two tasks side by side that change several files each, one of them by a command
 * as well, then a task for each of four files, then one that changes a file again. A check of the host runs in the sandbox after each change.
 */
import type { CrashWork } from "./CrashRun.ts"
import { skillOf } from "./CrashWork.ts"
import type { ChatBody } from "./FakeOllamaScript.ts"
import { planOf, refinementWith, resultSaying } from "./TestRun.ts"

const block = (path: string, from: string, to: string): string =>
  `${path}\n<<<<<<< OLD\n${from}\n=======\n${to}\n>>>>>>> NEW\n`

/** Waits a moment, and makes each change that a command can propose. */
const script =
  "sleep 0.1; echo made >> made.txt; rm gone.txt; chmod +x tool.sh; mkdir -p links; ln -s ../made.txt links/made"

const notes = ["n1.txt", "n2.txt", "n3.txt", "n4.txt"]

/** What a task answers, one after another, before its report. */
const turns: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Change one": [
    refinementWith([{ name: "read_file", arguments: { path: "one.txt" } }]),
    `${block("one.txt", "one", "one more")}\n${block("two.txt", "two", "two more")}`,
    block("one.txt", "one more", "one and more")
  ],
  "Change three": [
    block("three.txt", "three", "three more"),
    /* A command that is run twice, or whose change is made twice, is seen. */
    refinementWith([{ name: "run_command", arguments: { argv: ["sh", "-c", script] } }]),
    block("deep/new.txt", "", "it is new")
  ],
  "Change one again": [block("one.txt", "one and more", "one for the last time")]
}

const plan = planOf([
  [
    { name: "Change one", skill: "work" },
    { name: "Change three", skill: "work" }
  ],
  [{ name: "Mark", skill: "work", each: "file in `notes/*.txt`", needed: "Mark the file." }],
  [{ name: "Change one again", skill: "work" }]
])

/** Takes a moment, and writes what must not reach the project. */
const check = `import { readFileSync, writeFileSync } from "node:fs"
writeFileSync("check.log", "checked")
await new Promise((resolve) => setTimeout(resolve, 100))
if (!readFileSync("one.txt", "utf8").startsWith("one")) process.exit(1)
`

const answer = ({ messages }: ChatBody): string => {
  const user = messages[1]?.content ?? ""
  const [, task = ""] = /^## Task\n+- \*\*Name\*\* (.+)$/m.exec(user) ?? []
  const turn = messages.filter(({ role }) => role === "assistant").length
  switch (/^# Stage: (\w+)$/m.exec(messages[0]?.content ?? "")?.[1]) {
    case "creation":
      return plan
    case "task": {
      const [, item] = /the only one to work on: (\S+)/.exec(user) ?? []
      if (item !== undefined) return turn === 0 ? block(item, "plain", "marked") : resultSaying(`Marked ${item}.`)
      return turns[task]?.[turn] ?? resultSaying(`${task} is done.`)
    }
    case "iteration":
      return planOf([])
    default:
      return "All is changed."
  }
}

export const copyWork: CrashWork = {
  files: {
    "config/task-conductor/skills/work/SKILL.md": skillOf("work", "read_file edit_file write_file run_command"),
    "project/check.mjs": check,
    "project/.gitignore": "check.log\n",
    "project/gone.txt": "It goes.\n",
    "project/tool.sh": "exit 0\n",
    ...Object.fromEntries(["one", "two", "three"].map((name) => [`project/${name}.txt`, `${name}\n`])),
    ...Object.fromEntries(notes.map((name) => [`project/notes/${name}`, "plain\n"]))
  },
  prompt: "Change the files.",
  runFlags: ["--check", "node check.mjs"],
  flags: ["read_file", "edit_file", "write_file", "remove_file", "run_command"].flatMap((name) => ["--allow", name]),
  answer
}
