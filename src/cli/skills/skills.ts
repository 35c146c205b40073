/**
 * `task-conductor skills ...`: lists skills with their sources, checks what a careful author would fix in skill files, and helps
 * to write one.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { switchFlag, withHelp } from "../terminal/Flags.ts"
import { issueReport } from "../../domain/documents/CheckReport.ts"
import { printable, printableJson, printableLines } from "../../domain/text/Printable.ts"
import { sarifLog } from "../../plugins/check-tools/SarifLog.ts"
import { linesOf } from "../../plugins/check-tools/TextSpan.ts"
import { type LintedSkill, lintSkills } from "../../plugins/check-tools/SkillLinter.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { version } from "../../app/version.ts"
import { layerCatalogue, readCatalogue, layerSkills } from "../../app/layers.ts"
import { readSetup, type Setup } from "../../app/setup.ts"
import { runFlags } from "../run/runFlags.ts"
import { type CheckStyle, findingTexts, sarifPath } from "../../plugins/check-tools/checkText.ts"
import { exitCodes, quietFailure, usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { isSkillName, missingTools, missingToolsNote, whyNotOffered, inputTypeText, skillTokens } from "../../domain/skills/Skill.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { newSkill } from "../../app/templates.ts"
import { type FoundSkill, Skills } from "../../services/skills/Skills.ts"
import { userFolders } from "../../services/configuration/UserFolders.ts"
import { writeNewFolder } from "../plugins/plugins.ts"
import * as FileSystem from "effect/FileSystem"
import type { SkillTestProblem } from "../../plugins/check-tools/SkillTest.ts"
import { type SkillTestResult, testSkill } from "../../plugins/check-tools/skillTests.ts"
import { parseRule } from "../../domain/permissions/Permission.ts"
import type { Paint } from "../terminal/Colour.ts"
import { counted } from "../../domain/text/Format.ts"

const reportOf = ({ issues, repairs }: LintedSkill) => ({ issues: issues.map(issueReport), repairs })

const skillText = (skill: LintedSkill, name: string, style: CheckStyle): string => {
  const { issues, repairs, text, tokens } = skill
  const found = { name, lines: linesOf(text), report: reportOf(skill), label: "warning" }
  const { paint } = style
  const verdict = issues.length > 0 ? paint.red(counted(issues.length, "issue")) : paint.green("good")
  const parts = [
    verdict,
    ...(repairs.length === 0 ? [] : [counted(repairs.length, "warning")]),
    ...(tokens === undefined
      ? []
      : [`about ${tokens.planning} tokens to plan, ${tokens.refinement} to refine, ${tokens.execution} to execute`])
  ]
  return [...findingTexts(found, style), `${printable(name)}: ${parts.join(", ")}`].join("\n\n")
}

const lint = Command.make(
  "lint",
  {
    paths: Argument.String("PATH").pipe(
      Argument.withDescription(
        "Skills to check: a SKILL.md, its folder, or a folder of skills. Default: your skills and those of the project"
      ),
      Argument.atLeast(0)
    ),
    project: runFlags.project,
    format: Flag.Literals("format", ["human", "json", "sarif"]).pipe(
      Flag.withDescription("Format of the findings; sarif is for code hosts: --format sarif > skills.sarif"),
      Flag.withDefault("human")
    ),
    json: switchFlag("json", "Short for --format json: one JSON object with skills and failures")
  },
  Effect.fn("skills lint")(function* ({ json, paths, project, ...given }) {
    const output = yield* Output
    const path = yield* Path.Path
    if (json && given.format === "sarif") return yield* usageFailure("--json and --format sarif exclude each other.")
    const setup = yield* readSetup(project, {})
    const { tools } = yield* Effect.provide(ToolRegistry, layerCatalogue(setup))
    const { config, home } = setup.folders
    const known = tools.map((tool) => tool.name)
    const { failures, skills } = yield* lintSkills(paths, { project: setup.project, home, config }, known)
    for (const failure of failures) yield* output.emit(printable(failure))
    if (json || given.format === "json") {
      const reports = skills.map((skill) => ({
        name: skill.name,
        path: skill.path,
        ...reportOf(skill),
        ...(skill.tokens === undefined ? {} : { tokens: skill.tokens })
      }))
      yield* output.result(printableJson({ skills: reports, failures }, 2))
    } else if (given.format === "sarif") {
      const documents = skills.map((skill) => ({
        path: sarifPath(path, skill.path),
        text: skill.text,
        report: reportOf(skill)
      }))
      yield* output.result(printableJson(sarifLog(version, documents, failures), 2))
    } else if (skills.length > 0) {
      const style = { paint: output.resultPaint, columns: output.resultColumns() }
      yield* output.result(skills.map((skill) => skillText(skill, sarifPath(path, skill.path), style)).join("\n\n"))
    } else if (failures.length === 0) {
      yield* output.emit("There are no skills of yours or of the project. Create one: task-conductor skills new NAME")
    }
    if (failures.length > 0) return yield* quietFailure(exitCodes.usage)
    if (skills.some((skill) => skill.issues.length > 0)) return yield* quietFailure(exitCodes.failed)
  })
).pipe(
  withHelp("Check skill files strictly. Exit code 1 if one has an issue", {
    "task-conductor skills lint": "Check your skills and those of the project",
    "task-conductor skills lint .agents/skills/count-words": "Check one skill",
    "task-conductor skills lint skills --format sarif > skills.sarif": "Write the findings for a code host"
  })
)

const list = Command.make(
  "list",
  {
    project: runFlags.project,
    json: switchFlag("json", "Print one JSON object with skills and notes: task-conductor skills list --json")
  },
  Effect.fn("skills list")(function* ({ json, project }) {
    const { emit, print, result, resultPaint } = yield* Output
    const { notes, skills: all, tools } = yield* readCatalogue(project)
    const toolNames = tools.map((tool) => tool.name)
    if (json) {
      const skills = all.map(({ origin, path, skill }) => ({
        ...skill,
        origin,
        path,
        offered: whyNotOffered(skill, toolNames) === undefined,
        missingTools: missingTools(skill, toolNames)
      }))
      return yield* result(outputJson({ skills, notes }, 2))
    }
    const left = all.flatMap(({ skill }) => whyNotOffered(skill, toolNames) ?? [])
    const partly = all.flatMap(({ skill }) => missingToolsNote(skill, toolNames) ?? [])
    for (const note of [...left, ...notes, ...partly]) yield* emit(`note: ${printable(note)}`)
    const width = Math.max(0, ...all.map(({ skill }) => skill.name.length))
    yield* print(
      all
        .map(({ origin, skill }) =>
          [resultPaint.bold(skill.name.padEnd(width)), origin.padEnd(7), printable(skill.description)].join("  ")
        )
        .join("\n")
    )
  })
).pipe(
  withHelp(
    "List the skills of the package, the user and the project. Project skills take precedence over user skills, user skills over those of the package",
    {
      "task-conductor skills list": "Names, origins, descriptions"
    }
  )
)

/** The skill of this name. */
const namedSkill = (name: string, skills: ReadonlyArray<FoundSkill>) => {
  const found = skills.find(({ skill }) => skill.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const close = nearestOrAll(
    name,
    skills.map(({ skill }) => skill.name)
  ).join(", ")
  return usageFailure(`There is no skill "${printable(name)}". Use one of: ${close}.`)
}

const fieldsOf = ({ origin, path, skill }: FoundSkill): ReadonlyArray<readonly [string, string]> => {
  const { execution, planning, refinement } = skillTokens(skill)
  const tools = skill.allowedTools?.join(" ")
  return [
    ["from", `${origin}, ${path}`],
    ["when", skill.description],
    ["tools", tools === undefined ? "all" : tools === "" ? "none" : tools],
    ...(skill.toolLimits ?? []).map(({ patterns, tool }): readonly [string, string] => [
      "limit",
      `${tool} only for ${patterns.join(", ")}`
    ]),
    ...(skill.files ?? []).map((file): readonly [string, string] => ["file", file]),
    ["approval", skill.requiresApproval ? "asks before each task" : "asks when a call needs it"],
    ["model", skill.model ?? "the one of the run"],
    ...(skill.turns === undefined ? [] : [["turns", `at most ${skill.turns}`] as const]),
    ["tokens", `about ${planning} to plan, ${refinement} to refine, ${execution} to execute`],
    ...skill.inputs.map((input): readonly [string, string] => [
      "input",
      `${input.name} (${inputTypeText(input)}, ${input.required ? "required" : "optional"}) ${input.about}`.trim()
    ])
  ]
}

const describe = Command.make(
  "describe",
  {
    name: Argument.String("NAME").pipe(Argument.withDescription("The name of a skill, such as search-code")),
    project: runFlags.project,
    json: switchFlag("json", "Print one JSON object: task-conductor skills describe search-code --json")
  },
  Effect.fn("skills describe")(function* ({ json, name, project }) {
    const { emit, print, result, resultPaint } = yield* Output
    const { skills, tools } = yield* readCatalogue(project)
    const found = yield* namedSkill(name, skills)
    const { origin, path, skill } = found
    const because = whyNotOffered(
      skill,
      tools.map((tool) => tool.name)
    )
    if (json) {
      const offered = because === undefined
      return yield* result(outputJson({ ...skill, origin, path, offered, tokens: skillTokens(skill) }, 2))
    }
    const parts = [
      ["Input requirements", skill.inputRequirements],
      ["How to work", skill.refinement],
      ["How to report", skill.execution]
    ] as const
    yield* print(
      [
        [
          resultPaint.bold(skill.name),
          ...fieldsOf(found).map(([label, value]) => `${label.padEnd(8)}  ${printable(value)}`)
        ].join("\n"),
        ...parts
          .filter(([, text]) => text !== "")
          .map(([title, text]) => `${resultPaint.bold(`## ${title}`)}\n\n${printableLines(text)}`)
      ].join("\n\n")
    )
    if (because !== undefined) yield* emit(`note: ${printable(because)}`)
  })
).pipe(
  withHelp("Show a skill: its settings, its inputs, and the text that each stage gets", {
    "task-conductor skills describe search-code": "Show all details of one skill"
  })
)

/** The SKILL.md that a name or a path means. */
const skillFile = Effect.fnUntraced(function* (given: string, setup: Setup) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (given.includes("/") || given.includes(path.sep)) {
    const file = path.basename(given) === "SKILL.md" ? given : path.join(given, "SKILL.md")
    if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return path.resolve(file)
    return yield* usageFailure(`There is no ${file}. Give the name of a skill, or the folder of its SKILL.md.`)
  }
  const skills = yield* Effect.provide(
    Skills.use((all) => Effect.succeed(all.all)),
    layerSkills(setup)
  )
  return (yield* namedSkill(given, skills)).path
})

/** The lines of one side of a difference, each with its mark; at most 20. */
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

const test = Command.make(
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

const create = Command.make(
  "new",
  {
    name: Argument.String("NAME").pipe(Argument.withDescription("The name of the skill, such as count-words")),
    project: runFlags.project,
    user: switchFlag("user", "Create it for all your projects: task-conductor skills new count-words --user")
  },
  Effect.fn("skills new")(function* ({ name, project, user }) {
    const { emit, result } = yield* Output
    const path = yield* Path.Path
    if (!isSkillName(name)) {
      return yield* usageFailure(
        `"${printable(name)}" cannot be used. The name of a skill has at most 64 lower-case letters, digits and single hyphens, such as count-words.`
      )
    }
    const own = user ? (yield* userFolders(project)).own : path.resolve(project, ".task-conductor")
    const folder = path.join(own, "skills", name)
    yield* writeNewFolder(user ? own : path.resolve(project), folder, yield* newSkill(name))
    yield* result(path.join(folder, "SKILL.md"))
    yield* emit(
      `Change what it says, then check it: task-conductor skills lint ${folder}, task-conductor skills test ${name}.`
    )
  })
).pipe(
  withHelp("Create a skill with a test, in the project or, with --user, for all your projects", {
    "task-conductor skills new count-words": "Create it in .task-conductor/skills of the project",
    "task-conductor skills new count-words --user": "Create it for all your projects"
  })
)

export const skills = Command.make("skills").pipe(
  withHelp("List, describe, create, lint and test skills (kinds of tasks)", {
    "task-conductor skills list --json": "List all details of every skill"
  }),
  Command.withSubcommands([list, describe, create, lint, test])
)
