/**
 * A whole run for tests: every real service on a temporary project, with the model, the answers of a person and the
 * settings chosen by the test. Also the documents a scripted model answers with.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LanguageModel from "effect/ai/LanguageModel"
import { layerAsk, layerRun } from "../../src/app/layers.ts"
import type { RunConditions, RunContext } from "../../src/app/RunContext.ts"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import type { Plugin } from "../../src/services/tools/Plugin.ts"
import { RunEvents } from "../../src/services/runs/RunEvents.ts"
import { defaultSettings, type Settings } from "../../src/services/runs/RunSettings.ts"
import { builtInProviders } from "../../src/app/providers.ts"
import { noExtensions, type Setup } from "../../src/app/setup.ts"
import { EventLog } from "./EventLog.ts"
import { makeFolder, makeProject } from "./Project.ts"

export interface TestRunOptions {
  /** Files of the project by path. */
  readonly files?: Readonly<Record<string, string>>
  readonly settings?: Partial<Settings>
  readonly approver?: Layer.Layer<Approver>
  readonly rules?: ReadonlyArray<Rule>
  /** Beside the built-in ones. */
  readonly plugins?: ReadonlyArray<Plugin>
  /** Folders that stay from run to run; new ones when absent. */
  readonly at?: { readonly project: string; readonly home: string }
  /** Nothing may be changed. */
  readonly readOnly?: boolean
  /** Where the run is kept; nowhere when absent. */
  readonly journal?: NonNullable<RunConditions["journal"]>
}

/** A skill without conditions that may use the clock and write files; most tests need no more. */
const anySkill = `---
name: any
description: Does anything. Use it in tests.
allowed-tools: get_current_time write_file read_file
---

## Refinement

Make the calls.

## Execution

Say what was found.
`

const talkSkill = `---
name: talk
description: Only talks. Use it in tests for tasks without tools.
allowed-tools: ""
---

## Execution

Say something.
`

/** A skill that may use every tool. */
export const freeSkill = `---
name: free
description: Does anything with any tool. Use it in tests.
---

## Refinement

Make the calls.

## Execution

Say what was found.
`

export const testSkills = {
  ".task-conductor/skills/any/SKILL.md": anySkill,
  ".task-conductor/skills/talk/SKILL.md": talkSkill
}

/** What a door would say for this test. */
const orderOf = Effect.fnUntraced(function* (options: TestRunOptions) {
  const home = options.at?.home ?? (yield* makeFolder)
  const model = yield* LanguageModel.LanguageModel
  const { publish } = yield* RunEvents
  const settings: Settings = { ...defaultSettings, ...options.settings }
  const setup: Setup = {
    project: options.at?.project ?? (yield* makeProject({ ...testSkills, ...options.files })),
    configuration: {},
    settings,
    rules: options.rules ?? [],
    extensions: noExtensions,
    folders: {
      home,
      config: `${home}/.config`,
      settings: `${home}/.config/task-conductor`,
      state: `${home}/.local/state/task-conductor`,
      locks: `${home}/.local/state/task-conductor/locks`,
      candidates: [],
      notes: []
    },
    userFile: { path: `${home}/.config/task-conductor/config.json` },
    models: { chosenBy: "user", providers: builtInProviders, apiKey: undefined }
  }
  const doors: RunContext = {
    listen: ({ event }) => publish(event),
    approveSteps: false,
    approver: options.approver ?? Approver.layerDenyAll,
    model: Layer.succeed(LanguageModel.LanguageModel, model),
    plugins: options.plugins ?? []
  }
  const conditions: RunConditions = {
    readOnly: options.readOnly ?? false,
    ...(options.journal === undefined ? {} : { journal: options.journal })
  }
  return [setup, doors, conditions] as const
})

/** Everything a run needs, on a project of its own; the model comes from outside. */
export const layerTestRun = (options: TestRunOptions = {}) =>
  Layer.unwrap(Effect.map(orderOf(options), (order) => layerRun(...order))).pipe(
    Layer.provideMerge(EventLog.layer),
    Layer.provide(NodeServices.layer)
  )

/** Everything a conversation needs, likewise. */
export const layerTestAsk = (options: TestRunOptions = {}) =>
  Layer.unwrap(Effect.map(orderOf(options), (order) => layerAsk(...order))).pipe(
    Layer.provideMerge(EventLog.layer),
    Layer.provide(NodeServices.layer)
  )

/** A task of a test plan; everything has a default but the name. */
export interface PlannedTask {
  readonly name: string
  readonly skill?: string
  readonly needed?: string
  /** What stands after "For each". */
  readonly each?: string
  readonly references?: string
  readonly gated?: boolean
}

const taskLines = (task: PlannedTask): string =>
  [
    `- **Name** ${task.name}`,
    `- **What is needed** ${task.needed ?? `Whatever ${task.name} is about.`}`,
    ...(task.each === undefined ? [] : [`- **For each** ${task.each}`]),
    `- **Skill** ${task.skill ?? "any"}`,
    ...(task.references === undefined ? [] : [`- **References** ${task.references}`]),
    "- **Expected output** A word.",
    ...(task.gated === true ? ["- **Requires user approval**"] : [])
  ].join("\n")

/** The document of a task list with one section per list of tasks. */
export const planOf = (sections: ReadonlyArray<ReadonlyArray<PlannedTask>>): string =>
  [
    "## Original prompt\n\nDo it.\n\n## Goals / summary\n\nIt is done.\n\n## Tasks\n",
    ...sections.map((tasks, index) => `### Task section ${index + 1}\n\n${tasks.map(taskLines).join("\n\n")}\n`)
  ].join("\n")

/** A refinement that leaves the task as it is and makes these calls. */
export const refinementWith = (
  calls: ReadonlyArray<{ readonly uid?: string; readonly name: string; readonly arguments: object }>
): string =>
  [
    "## Tool Calls",
    ...calls.map((call, index) => `\`\`\`json\n${JSON.stringify({ uid: `call-${index + 1}`, ...call })}\n\`\`\``)
  ].join("\n\n")

/** A whole refinement for `execute`, which runs a command. */
export const refinementRunning = (...argv: ReadonlyArray<string>): string =>
  `## Task

- **What is needed** Run it.
- **Skill** run-checks
- **Expected output** Its output.

${refinementWith([{ name: "run_command", arguments: { argv } }])}
`

/** A refinement that only looks. */
export const looksWith = (calls: Parameters<typeof refinementWith>[0]): string =>
  refinementWith(calls).replace("## Tool Calls", "## Look first")

/** A result document. */
export const resultSaying = (summary: string): string => `## Result summary\n\n${summary}\n`

/** What a model says in the stages of a run, by their names (see stageName.ts). */
export interface StageAnswers {
  readonly creation?: string
  readonly refinement?: string
  readonly execution?: string
  readonly iteration?: string
  readonly conclusion?: string
}

/** The answer for a stage; the usual one where none is given. */
export const answerIn = (stage: string | undefined, given: StageAnswers): string => {
  switch (stage) {
    case "creation":
      return given.creation ?? planOf([[{ name: "Look 1" }]])
    case "refinement":
      return given.refinement ?? refinementWith([{ name: "get_current_time", arguments: {} }])
    case "execution":
      return given.execution ?? resultSaying("It is done.")
    case "iteration":
      return given.iteration ?? planOf([])
    default:
      return given.conclusion ?? "All is done."
  }
}

/** Answers to a prompt about the time, for each stage of a run; two tasks are followed by an iteration. */
export const noonAnswer = (stage: string | undefined): string =>
  answerIn(stage, {
    creation: planOf([[{ name: "Look 1" }], [{ name: "Look 2" }]]),
    execution: resultSaying("Noon."),
    conclusion: "It is noon."
  })
