/**
 * `task-conductor skills test`: runs the tests of a skill without a model.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { Skills } from "../../kit/documents.ts"
import { layerSkills, readSetup, type Setup } from "../../kit/program.ts"
import {
  exitCodes,
  namedSkill,
  Output,
  type Paint,
  quietFailure,
  runFlags,
  switchFlag,
  usageFailure,
  withHelp
} from "../../kit/terminal.ts"
import { outputJson, printable, printableLines } from "../../kit/text.ts"
import { parseRule } from "../../kit/tools.ts"
import { sarifPath } from "./checkText.ts"
import * as FileSystem from "effect/FileSystem"
import type { SkillTestProblem } from "./SkillTest.ts"
import { type SkillTestResult, testSkill } from "./skillTests.ts"

/** Finds the SKILL.md that a name or a path means. */
const skillFile = Effect.fnUntraced(function* (nameOrPath: string, setup: Setup) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (nameOrPath.includes("/") || nameOrPath.includes(path.sep)) {
    const file = path.basename(nameOrPath) === "SKILL.md" ? nameOrPath : path.join(nameOrPath, "SKILL.md")
    if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return path.resolve(file)
    return yield* usageFailure(`There is no ${file}. Give the name of a skill, or the folder of its SKILL.md.`)
  }
  const skills = yield* Effect.provide(
    Skills.use((all) => Effect.succeed(all.all)),
    layerSkills(setup)
  )
  return (yield* namedSkill(nameOrPath, skills)).path
})

/** One side of a difference: at most 20 lines, each with a mark. */
const side = (text: string | undefined, mark: string, paint: Paint["red"]): ReadonlyArray<string> => {
  if (text === undefined) return []
  const lines = text === "" ? ["(nothing)"] : text.trimEnd().split("\n")
  const left = lines.length - 20
  const shown = [...lines.slice(0, 20), ...(left > 0 ? [`(${left} more lines)`] : [])]
  return shown.map((line) => paint(`    ${mark} ${printable(line)}`))
}

const problemText = ({ actual, expected, what }: SkillTestProblem, paint: Paint): ReadonlyArray<string> => [
  ...printableLines(what)
    .split("\n")
    .map((line) => `  ${line}`),
  ...side(expected, "- expected:", paint.red),
  ...side(actual, "+ actual:", paint.green)
]

const testText = ({ file, problems, title }: SkillTestResult, path: Path.Path, paint: Paint): string => {
  const verdict = problems.length === 0 ? paint.green("ok  ") : paint.red("FAIL")
  const name = printable(sarifPath(path, file))
  return [
    `${verdict} ${name}${title === "" ? "" : `: ${printable(title)}`}`,
    ...problems.flatMap((problem) => problemText(problem, paint))
  ].join("\n")
}

export const test = Command.make(
  "test",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription("The name of a skill, or the path of its folder, such as ./skills/count-words")
    ),
    project: runFlags.project,
    allow: runFlags.allow,
    plugin: runFlags.plugin,
    json: switchFlag("json", "Print one JSON object with the tests: task-conductor skills test count-words --json")
  },
  Effect.fn("skills test")(function* ({ allow, json, name, plugin, project }) {
    const { emit, print, result, resultPaint } = yield* Output
    const path = yield* Path.Path
    const setup = yield* readSetup(project, { allow, plugins: plugin })
    const skill = yield* skillFile(name, setup)
    const tests = yield* testSkill(skill, {
      rules: yield* Effect.forEach(allow, (rule) => Effect.orDie(Effect.fromResult(parseRule("allow", rule)))),
      plugins: setup.extensions.plugins.filter(({ scope }) => scope === "given")
    })
    const failed = tests.filter(({ problems }) => problems.length > 0).length
    if (json) {
      const reports = tests.map((test) => ({ passed: test.problems.length === 0, ...test }))
      yield* result(outputJson({ skill, passed: tests.length - failed, failed, tests: reports }, 2))
    } else if (tests.length > 0) {
      const lines = tests.map((test) => testText(test, path, resultPaint))
      yield* print([...lines, `${tests.length - failed} passed, ${failed} failed`].join("\n"))
    }
    if (tests.length === 0) {
      yield* emit(`There are no tests. They are files ${path.join(path.dirname(skill), "tests")}/*.md.`)
    }
    if (failed > 0 || tests.length === 0) return yield* quietFailure(exitCodes.failed)
  })
).pipe(
  withHelp("Run the tests of a skill without a model. Exit code 1 if one fails", {
    "task-conductor skills test count-words": "Run the tests beside the skill",
    "task-conductor skills test check-types --allow run_command": "Allow the tests to run commands"
  })
)
