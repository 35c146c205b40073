/**
 * What is found in an example of a rule: the pure readers read what they read, and everything that needs skills, tools
 * or files goes through a whole run with a scripted model.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type { ModelCallId } from "../../src/domain/runs/ActivityKey.ts"
import { readConclusion } from "../../src/domain/documents/AnswerFormat.ts"
import { readChanges } from "../../src/domain/files/ChangeBlocks.ts"
import { checkDocument } from "../../src/domain/documents/CheckReport.ts"
import type { Issue } from "../../src/domain/findings/Issue.ts"
import type { RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { nothingAnswered, readPlaceAnswers } from "../../src/domain/documents/PlaceAnswers.ts"
import { readTaskReport } from "../../src/domain/documents/RefinementFormat.ts"
import { lintSkill } from "../../src/plugins/check-tools/SkillLint.ts"
import { readSkill } from "../../src/domain/skills/SkillFormat.ts"
import { readSkillInputs } from "../../src/domain/skills/Skill.ts"
import { Task } from "../../src/domain/plan/Task.ts"
import { originalPrompt, readTaskList } from "../../src/domain/documents/TaskListFormat.ts"
import { parseTemplate } from "../../src/domain/models/PromptTemplate.ts"
import type { Arguments } from "../../src/domain/tools/ToolCall.ts"
import { packageFolder } from "../../src/services/files/PackageFolder.ts"
import { Pipeline } from "../../src/services/pipeline/Pipeline.ts"
import { Prompts } from "../../src/services/models/Prompts.ts"
import { type ScriptedAnswer, ScriptedModel } from "../../src/services/providers/ScriptedModel.ts"
import { EventLog } from "./EventLog.ts"
import {
  answerLimit,
  exampleFiles,
  exampleRule,
  exampleKinds,
  type ExampleKind,
  finishedTask,
  finishedWork,
  inputsOfSkill,
  keptInput,
  plannedTask
} from "./ExampleKinds.ts"
import { checkInProject } from "../../src/library/check.ts"
import type { Settings } from "../../src/services/runs/RunSettings.ts"
import { makeFolder, putFiles } from "./Project.ts"
import { layerTestRun, planOf, refinementWith, resultSaying } from "./TestRun.ts"

/** The codes found in a text, each once, in the order in which they were found. */
export interface FoundCodes {
  readonly issues: ReadonlyArray<string>
  readonly repairs: ReadonlyArray<string>
}

interface Finding {
  readonly code: string
}

const codesOf = (found: {
  readonly issues: ReadonlyArray<Finding>
  readonly repairs: ReadonlyArray<Finding>
}): FoundCodes => ({
  issues: [...new Set(found.issues.map(({ code }) => code))],
  repairs: [...new Set(found.repairs.map(({ code }) => code))]
})

const isFirst = ({ attempt, round, stage }: ModelCallId): boolean =>
  attempt === 1 && round <= 1 && stage !== "iterate" && stage !== "conclude"

/** What a run says about these answers, and to the user. */
const codesOfAnswers = (events: ReadonlyArray<RunEvent>, isMeant: (call: ModelCallId) => boolean): FoundCodes =>
  codesOf({
    issues: events.flatMap((event) => (event.type === "answer.rejected" && isMeant(event.call) ? event.issues : [])),
    repairs: events.flatMap((event): ReadonlyArray<Finding> => {
      if (event.type === "answer.repaired" && isMeant(event.call)) return event.repairs
      return event.type === "message" && event.code !== undefined ? [{ code: event.code }] : []
    })
  })

/** What a run says about the first answer of the stage that the example is about. */
const codesOfRun = (events: ReadonlyArray<RunEvent>): FoundCodes => codesOfAnswers(events, isFirst)

/** What a run says about all turns of its first round. */
const codesOfTurns = (events: ReadonlyArray<RunEvent>): FoundCodes =>
  codesOfAnswers(events, ({ round, stage }) => round === 1 && stage === "task")

const explainFile = [
  "---\nname: explain-file\ndescription: Explains a file. Use it in examples.\nallowed-tools: read_file\n---",
  `## Input requirements\n\n${inputsOfSkill}`,
  "## Execution\n\nExplain it.\n"
].join("\n\n")

const changeCode = [
  "---\nname: change-code\ndescription: Changes code. Use it in examples.\nallowed-tools: edit_file read_file",
  'metadata:\n  task-conductor.requires-approval: "true"\n---\n',
  "## Execution\n\nSay what changed.\n"
].join("\n")

const tellHistory =
  "---\nname: tell-history\ndescription: Tells what changed. Use it in examples.\nallowed-tools: Bash(git log:*) add_task\n---\n\nSay what changed.\n"

/** The files of the projects in which examples are checked. */
const projectFiles = {
  ...exampleFiles,
  ".agents/skills/explain-file/SKILL.md": explainFile,
  ".agents/skills/change-code/SKILL.md": changeCode,
  ".agents/skills/tell-history/SKILL.md": tellHistory
}

/** The prompt that a call of the model is about comes first; whatever comes later gets a plain answer. */
const runOf = (
  answer: (prompt: string, index: number) => ScriptedAnswer | string | undefined,
  work: (pipeline: Pipeline["Service"]) => Effect.Effect<unknown, unknown>,
  read: (events: ReadonlyArray<RunEvent>) => FoundCodes = codesOfRun,
  settings: Partial<Settings> = {}
) =>
  Effect.gen(function* () {
    yield* Effect.exit(work(yield* Pipeline))
    return read((yield* EventLog).events())
  }).pipe(
    Effect.provide(
      layerTestRun({
        files: projectFiles,
        settings,
        rules: [{ verdict: "allow", tool: "read_file" }, { verdict: "allow", tool: "run_command" }, exampleRule]
      }).pipe(Layer.provide(ScriptedModel.layer(({ user }, index) => answer(user, index) ?? resultSaying("Done."))))
    )
  )

const planWith = (text: string) =>
  runOf(
    () => text,
    (pipeline) => pipeline.plan({ runId: "run", prompt: originalPrompt(text) ?? "Explain the loader." })
  )

const runTask = (skill: string) => (pipeline: Pipeline["Service"]) =>
  pipeline.run({
    runId: "run",
    prompt: "Explain the loader.",
    plan: planOf([[{ name: plannedTask.name, skill, needed: plannedTask.whatIsNeeded }]])
  })

const refineWith = (text: ScriptedAnswer, skill = plannedTask.skill) =>
  runOf((_, index) => (index === 0 ? text : undefined), runTask(skill))

/** Runs a task that may change files and gets these answers, with `---` between them. */
const turnsWith = (text: string, settings: Partial<Settings> = {}) => {
  const answers = text.split(/^---$/m)
  return runOf((_, index) => answers[index], runTask("change-code"), codesOfTurns, settings)
}

/** Checks a refinement as `check` does in a project. */
const checkRefinement = Effect.fnUntraced(function* (text: string) {
  const project = yield* makeFolder
  yield* putFiles(project, projectFiles)
  return codesOf(yield* Effect.promise(() => checkInProject(text, { project, kind: "refinement" })))
})

/** What is repaired in the results that a run accepts, whichever attempt it was. */
const repairsOfResults = (events: ReadonlyArray<RunEvent>): FoundCodes => ({
  issues: [],
  repairs: codesOf({
    issues: [],
    repairs: events.flatMap((event) =>
      event.type === "answer.repaired" && event.call.stage === "task" ? event.repairs : []
    )
  }).repairs
})

/** Runs a task of which every attempt gives this result. */
const resultWith = (text: string, read?: (events: ReadonlyArray<RunEvent>) => FoundCodes) =>
  runOf(() => text, runTask("talk"), read)

/** Runs the tasks of one section with the calls that the example lists. */
const stepWith = (text: string) => {
  const calls = JSON.parse(text) as ReadonlyArray<{ task: string; name: string; arguments: Arguments }>
  return runOf(
    (prompt) => {
      const call = calls.find(({ task }) => prompt.includes(`Whatever ${task} is about.`))
      if (call === undefined || prompt.includes("### Changed: ")) return undefined
      const task = "## Task\n\n- **What is needed** Edit.\n- **Expected output** A word.\n\n"
      return task + refinementWith([{ name: call.name, arguments: call.arguments }])
    },
    (pipeline) =>
      pipeline.run({ runId: "run", prompt: "Edit.", plan: planOf([calls.map(({ task }) => ({ name: task }))]) })
  )
}

/** Loads a folder that holds these templates of the shipped ones. */
const loadTemplates = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const shipped = packageFolder("prompts")
  const folder = yield* makeFolder
  const texts = yield* Effect.forEach(names, (name) => fs.readFileString(`${shipped}/${name}`))
  yield* putFiles(folder, Object.fromEntries(names.map((name, index) => [name, texts[index] ?? ""])))
  const issues = yield* Prompts.pipe(
    Effect.as<ReadonlyArray<Issue>>([]),
    Effect.provide(Prompts.layerFolder(folder)),
    Effect.catchTag("PromptTemplateError", (error) => Effect.succeed(error.issues))
  )
  return codesOf({ issues, repairs: [] })
})

const skillNamed = (name: string): string =>
  `---\nname: ${name}\ndescription: Reads code.\n---\n\n## Execution\n\nSay what it does.\n`

const threePlaces = [1, 2, 3].map((number) => ({
  number,
  path: "src/main.ts",
  line: number,
  within: "",
  of: 9,
  text: "",
  first: number,
  lines: ["load()"]
}))

/** What is found in the answer to three places. */
const placesWith = (text: string) => {
  const { answers, issues } = readPlaceAnswers(text, threePlaces)
  const nothing = answers.size === 0 && issues.length === 0
  return { issues: nothing ? [nothingAnswered([1, 2, 3])] : issues, repairs: [] }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** The codes that are found in an example of this kind. */
export const ruleFindings = (kind: ExampleKind, example: string) => {
  const text = exampleKinds[kind].frame(example)
  switch (kind) {
    case "task-list":
    case "tasks":
    case "task":
    case "references":
      return Effect.sync(() =>
        codesOf(readTaskList(text, { finished: [finishedTask], work: [finishedWork], allowEmpty: false, headings: [] }))
      )
    case "refinement":
    case "tool-calls":
      return Effect.sync(() => codesOf(readTaskReport(text, { task: new Task(plannedTask) })))
    case "inputs":
    case "retried-inputs":
      return Effect.sync(() => {
        const { inputs } = readSkillInputs(inputsOfSkill)
        return codesOf(
          readTaskReport(text, { task: new Task(plannedTask), inputs, kept: kind === "inputs" ? [] : [keptInput] })
        )
      })
    case "run-inputs":
      return refineWith({ text }, "explain-file")
    case "conclusion":
      return Effect.sync(() => codesOf(readConclusion(text, { hasResults: true })))
    case "changes":
      return Effect.sync(() => codesOf(readChanges(text)))
    case "places":
      return Effect.sync(() => codesOf(placesWith(text)))
    case "result":
      return Effect.sync(() => codesOf(checkDocument("result", text)))
    case "run-result":
      return resultWith(text)
    case "insisted-result":
      return resultWith(text, repairsOfResults)
    case "skill-file":
      return Effect.sync(() => codesOf(readSkill(bytesOf(text), "read-code")))
    case "skill-name":
      return Effect.sync(() => codesOf(readSkill(bytesOf(skillNamed(text)), text)))
    case "linted-skill":
      return Effect.sync(() =>
        codesOf(lintSkill(bytesOf(text), "read-code", { tools: ["read_file", "search_files"], files: new Set() }))
      )
    case "template":
      return Effect.sync(() => codesOf(parseTemplate("conclusion", text)))
    case "template-folder":
      return loadTemplates(text.split("\n"))
    case "project-task":
    case "project-references":
      return planWith(text)
    case "planning-answer":
      return planWith(text)
    case "project-calls":
      return checkRefinement(text)
    case "turns":
      return turnsWith(text)
    case "checked-turns":
      return turnsWith(text, { checks: [["grep", "-q", "load()", "src/main.ts"]] })
    case "limited-tool-calls":
      return refineWith({ text }, "tell-history")
    case "run-tool-calls":
    case "answer":
      return refineWith({ text })
    case "cut-answer":
      return refineWith(text.length > answerLimit ? { text: text.slice(0, answerLimit), finish: "length" } : { text })
    case "step-calls":
      return stepWith(text)
  }
}
