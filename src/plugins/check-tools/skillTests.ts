/**
 * Runs the tests of a skill. Each test has its own project and home, and a model that gives the test's answers. The
 * gate allows reading and writing in this project, and other calls need a rule.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { Skills, whyNotOffered } from "../../kit/documents.ts"
import { readBoundedBytes, readBoundedFile } from "../../kit/files.ts"
import { ScriptedModel } from "../../kit/models.ts"
import {
  defaultSettings,
  layerRun,
  makeTrial,
  noExtensions,
  ownFiles,
  Pipeline,
  type PluginEntry
} from "../../kit/program.ts"
import { type Rule, ToolRegistry } from "../../kit/tools.ts"
import { defaultLimits, type Plugin, type RunEvent } from "../../plugin-kit.ts"
import { layerRuleApprover } from "./ruleApprover.ts"
import { judgeSkillTest, readSkillTest, type SkillTest, type SkillTestProblem, type TestFile } from "./SkillTest.ts"

/** Additional permissions and tools of a test. */
export interface SkillTestOptions {
  readonly rules?: ReadonlyArray<Rule>
  /** Plugins, named as in a configuration. */
  readonly plugins?: ReadonlyArray<PluginEntry>
  /** Plugins that the caller passes as objects. */
  readonly values?: ReadonlyArray<Plugin>
}

/** The result of a test, which passed if `problems` is empty. */
export interface SkillTestResult {
  /** The absolute path of the file with the test. */
  readonly file: string
  /** The title of the test: its last heading of the first level. Empty for an invalid test. */
  readonly title: string
  /** Differences from the expectations. Empty if the test passed. */
  readonly problems: ReadonlyArray<SkillTestProblem>
}

const emptyList = "## Original prompt\n\nTest.\n\n## Goals / summary\n\nTest.\n\n## Tasks\n"

const readFiles = Effect.fnUntraced(function* (folder: string, files: ReadonlyArray<TestFile>) {
  const path = yield* Path.Path
  const contents = new Map<string, string>()
  for (const file of files) {
    const text = yield* Effect.option(readBoundedFile(path.join(folder, file.path)))
    if (text._tag === "Some") contents.set(file.path, text.value)
  }
  return contents
})

/**
 * The limits of a test. A document gets one attempt more than the test has answers. Further attempts would be useless,
 * because the model then only repeats its last answer.
 */
const limitsOf = ({ executions, refinements }: SkillTest) => {
  const answers = Math.max(executions.length, refinements.length)
  return { ...defaultLimits, attempts: Math.min(defaultLimits.attempts, answers + 1) }
}

/** True if a prompt offers tools, but shows no output or change yet. */
const isBeforeOutputs = (system: string, user: string): boolean =>
  /^## Tools$/m.test(system) && !/^### (?:Tool call |Changed: )/m.test(user)

/** A model that gives the test's answers in order, and then repeats the last answer. */
const scripted = ({ executions, refinements }: SkillTest) => {
  const counts = { refinement: 0, execution: 0 }
  const next = (stage: "refinement" | "execution", answers: ReadonlyArray<string>): string => {
    counts[stage] += 1
    return answers[counts[stage] - 1] ?? answers.at(-1) ?? "The test has no answer."
  }
  const model = ScriptedModel.layer(({ system, user }) => {
    switch (/^# Stage: (\w+)$/m.exec(system)?.[1]) {
      case "task": {
        const acts = counts.refinement < refinements.length || (refinements.length > 0 && isBeforeOutputs(system, user))
        return acts ? next("refinement", refinements) : next("execution", executions)
      }
      case "iteration":
        return emptyList
      default:
        return "Done."
    }
  })
  return { model, asked: counts }
}

/** Runs one test of the skill whose SKILL.md is `skillFile`. */
const runTest = Effect.fnUntraced(function* (
  name: string,
  skillFile: Uint8Array,
  test: SkillTest,
  { plugins = [], rules = [], values = [] }: SkillTestOptions
) {
  const allowed = [...ownFiles, ...rules]
  const files = {
    project: Object.fromEntries(test.files.map(({ path, text }) => [path, text])),
    home: { [`.agents/skills/${name}/SKILL.md`]: skillFile }
  }
  const setup = yield* makeTrial("skill", files, {
    settings: { ...defaultSettings, model: "scripted", limits: limitsOf(test) },
    rules: allowed,
    extensions: { ...noExtensions, plugins }
  })
  const { project } = setup
  const { asked: counts, model } = scripted(test)
  const events: Array<RunEvent> = []
  const listen = ({ event }: { readonly event: RunEvent }) => Effect.sync(() => void events.push(event))
  const context = { listen, approveSteps: false, approver: layerRuleApprover(allowed, project), model, plugins: values }
  const report = yield* Effect.gen(function* () {
    const toolNames = (yield* ToolRegistry).tools.map((tool) => tool.name)
    const found = (yield* Skills).find(name)
    const because = found === undefined ? undefined : whyNotOffered(found, toolNames)
    if (because !== undefined) return yield* Effect.fail({ message: because })
    return yield* (yield* Pipeline).run({ runId: "test", prompt: "Test.", plan: test.plan })
  }).pipe(Effect.provide(layerRun(setup, context)))
  const worked = events.findLast((event) => event.type === "task.worked")
  const turn = events.findLast((event) => event.type === "task.turn")
  return judgeSkillTest(test, {
    report,
    inputs: worked?.inputs ?? [],
    calls: turn?.calls ?? [],
    issues: events.flatMap((event) => (event.type === "answer.rejected" ? event.issues : [])),
    requestedAnswers: counts,
    files: yield* readFiles(project, test.expected.files)
  })
}, Effect.scoped)

const runFile = Effect.fnUntraced(function* (
  name: string,
  skillFile: Uint8Array,
  file: string,
  options: SkillTestOptions
) {
  const parsed = readSkillTest(yield* readBoundedFile(file), name)
  if (Result.isFailure(parsed)) {
    const broken: SkillTestResult = { file, title: "", problems: parsed.failure.map((what) => ({ what })) }
    return broken
  }
  const problems: ReadonlyArray<SkillTestProblem> = yield* runTest(name, skillFile, parsed.success, options).pipe(
    Effect.catch((error) => Effect.succeed([{ what: error.message }]))
  )
  const judged: SkillTestResult = { file, title: parsed.success.title, problems }
  return judged
})

/**
 * Runs the tests in `tests/*.md` beside a SKILL.md, in the order of their names. Without this folder, it runs nothing.
 */
export const testSkill = Effect.fn("testSkill")(function* (skillPath: string, options: SkillTestOptions = {}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.dirname(path.resolve(skillPath))
  const skillFile = yield* readBoundedBytes(path.resolve(skillPath))
  const tests = path.join(folder, "tests")
  const names = yield* fs.readDirectory(tests).pipe(Effect.orElseSucceed((): Array<string> => []))
  const files = names.filter((name) => name.endsWith(".md")).toSorted()
  return yield* Effect.forEach(files, (file) =>
    runFile(path.basename(folder), skillFile, path.join(tests, file), options)
  )
})
