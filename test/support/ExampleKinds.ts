/**
 * The kinds of examples that rules have. A kind says which part of a document an example is, so that the example holds
 * only what matters, and puts the rest around it.
 */

import { plainTask } from "../../src/domain/plan/Task.ts"

const asItIs = (text: string): string => text

const aListOf = (tasks: string): string =>
  `## Original prompt\n\nExplain the loader.\n\n## Goals / summary\n\nExplain it.\n\n## Tasks\n\n${tasks}\n`

const aSectionOf = (task: string): string => aListOf(`### Task section 1\n\n${task}`)

const aTaskReferringTo = (references: string): string =>
  aSectionOf(
    [
      "- **Name** A",
      "- **What is needed** Read the loader.",
      "- **Skill** read-code",
      ...(references === "" ? [] : [`- **References** ${references}`]),
      "- **Expected output** One paragraph."
    ].join("\n")
  )

const aRefinementCalling = (calls: string): string =>
  [
    "## Task",
    "",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "## Tool Calls",
    "",
    calls,
    ""
  ].join("\n")

const aRefinementWith = (inputs: string): string =>
  aRefinementCalling(
    '```json\n{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }\n```'
  ).replace("## Tool Calls", () => `## Inputs\n\n${inputs}\n\n## Tool Calls`)

/** The length limit in examples that run into it, in characters. */
export const answerLimit = 300

/** What an example of a kind is, in words, and the whole text that it stands for. */
export const exampleKinds = {
  "task-list": { about: "a task list", frame: asItIs },
  tasks: { about: "the text under `## Tasks`", frame: aListOf },
  task: { about: "the tasks of a section", frame: aSectionOf },
  references: { about: "the value of *References*", frame: aTaskReferringTo },
  "project-task": { about: "the tasks of a section, checked with the skills of the run", frame: aSectionOf },
  "project-references": {
    about: "the value of *References*, checked in a project with the files of the examples",
    frame: aTaskReferringTo
  },
  refinement: { about: "a refinement", frame: asItIs },
  inputs: { about: "the text under `## Inputs`, for the skill of the examples", frame: aRefinementWith },
  "retried-inputs": {
    about: 'the text under `## Inputs`, after an attempt in which `reason` was "To explain it."',
    frame: aRefinementWith
  },
  "run-inputs": {
    about:
      "the text under `## Inputs`, for the skill of the examples, checked in a project with the files of the examples",
    frame: (text: string) => aRefinementWith(text).replace("read-code", "explain-file")
  },
  "tool-calls": { about: "the text under `## Tool Calls`", frame: aRefinementCalling },
  "run-tool-calls": {
    about: "the text under `## Tool Calls`, checked with the tools of the run",
    frame: aRefinementCalling
  },
  "project-calls": {
    about: "the text under `## Tool Calls` of a refinement for a skill that changes files, checked in a project",
    frame: (calls: string) =>
      aRefinementCalling(calls)
        .replace("read-code", "change-code")
        .replace("## Tool Calls", "- **Requires user approval**\n\n## Tool Calls")
  },
  turns: { about: "the answers of a task that may change files, with `---` between them", frame: asItIs },
  "checked-turns": {
    about: "the same, in a project with the check `grep -q load() src/main.ts`",
    frame: asItIs
  },
  "limited-tool-calls": {
    about: "the text under `## Tool Calls`, for a skill with `allowed-tools: Bash(git log:*) add_task`",
    frame: (calls: string) => aRefinementCalling(calls).replace("read-code", "tell-history")
  },
  answer: { about: "an answer of the model", frame: asItIs },
  "planning-answer": { about: "an answer of the model that was asked for a plan", frame: asItIs },
  "cut-answer": { about: `an answer of a model that may write ${answerLimit} characters`, frame: asItIs },
  conclusion: { about: "the answer to the prompt", frame: asItIs },
  changes: { about: "an answer that changes files", frame: asItIs },
  places: { about: "the answer to three places of `src/main.ts`, `load()` in each", frame: asItIs },
  "step-calls": { about: "the calls of the tasks of one section, after refinement", frame: asItIs },
  result: { about: "a result", frame: asItIs },
  "run-result": {
    about: "the text under `## Result summary`, checked in a project with the files of the examples",
    frame: (text: string) => `## Result summary\n\n${text}\n`
  },
  "insisted-result": {
    about: "the text under `## Result summary` of every attempt, checked in a project with the files of the examples",
    frame: (text: string) => `## Result summary\n\n${text}\n`
  },
  "skill-file": { about: "`read-code/SKILL.md`", frame: asItIs },
  "skill-name": { about: "the name of a skill and of its folder", frame: asItIs },
  "linted-skill": { about: "`read-code/SKILL.md`, as `skills lint` reads it", frame: asItIs },
  template: { about: "the template of the conclusion", frame: asItIs },
  "template-folder": { about: "the files of the folder of templates", frame: asItIs }
} as const

export type ExampleKind = keyof typeof exampleKinds

/** The task that refinements in examples are about. */
export const plannedTask = {
  name: "Research 1",
  whatIsNeeded: "Read the loader.",
  skill: "read-code",
  references: [{ kind: "file" as const, title: "main.ts", href: "src/main.ts", target: "src/main.ts" }],
  expectedOutput: "One paragraph.",
  requiresApproval: true,
  codeBlocks: []
}

/** The skill of examples that need typed inputs, as the text under its `## Input requirements`. */
export const inputsOfSkill = [
  "- `file` (path, required): The file to explain.",
  "- `reason` (text, optional): What the explanation is for.",
  "- `size` (choice of short, long, optional): How long it may be."
].join("\n")

/** What an earlier attempt gave in examples of inputs. */
export const keptInput = { name: "reason", value: "To explain it." }

/** Task lists in examples continue a run in which this task has finished. */
export const finishedTask = "Setup 1"

/** What that task was about. */
export const finishedWork = plainTask(finishedTask, "read-code", "Read the settings.", "One paragraph.")

/** A rule of the runs in which examples are checked. */
export const exampleRule = { verdict: "deny", tool: "read_file", pattern: "private/*" } as const

/** The files of the project in which examples are checked. */
export const exampleFiles: Readonly<Record<string, string>> = {
  "src/main.ts": 'import { load } from "./config.ts"\nload()\n',
  "src/config.ts": "export const load = () => ({})\n",
  "src/limits.ts": "export const retries = 5\n",
  "docs/guide.md": "# Guide\n\n## Install\n\nRun npm.\n\n## Use\n\nCall load.\n",
  "logo.png": "\0\0\0\0",
  "private/notes.md": "# Notes\n",
  "large.txt": "A long line of a log that says nothing of interest.\n".repeat(2000)
}
