/**
 * `task-conductor skills lint`: what a careful author would fix in skill files, each finding with its line.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { switchFlag } from "../terminal/Flags.ts"
import { issueReport } from "../../domain/documents/CheckReport.ts"
import { printable, printableJson } from "../../domain/text/Printable.ts"
import { sarifLog } from "../../domain/checking/SarifLog.ts"
import { linesOf } from "../../domain/checking/TextSpan.ts"
import { type LintedSkill, lintSkills } from "../../services/checking/SkillLinter.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { version } from "../../app/version.ts"
import { layerCatalogue } from "../../app/projectLayers.ts"
import { readSetup } from "../../app/setup.ts"
import { runFlags } from "../run/runFlags.ts"
import { type CheckStyle, count, findingTexts, sarifPath } from "../check/checkText.ts"
import { exitCodes, quietFailure, usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"

/** Checks the skills at these paths, or all of the user and the project, with the tools that a run would have. */
const lintProject = Effect.fn("lintProject")(function* (project: string, paths: ReadonlyArray<string>) {
  const setup = yield* readSetup(project, {})
  const tools = yield* Effect.provide(
    ToolRegistry.use(({ tools }) => Effect.succeed(tools.map((tool) => tool.name))),
    layerCatalogue(setup)
  )
  const { folders } = setup
  return yield* lintSkills(paths, { project: setup.project, home: folders.home, config: folders.config }, tools)
})

const reportOf = ({ issues, repairs }: LintedSkill) => ({ issues: issues.map(issueReport), repairs })

const skillText = (skill: LintedSkill, name: string, style: CheckStyle): string => {
  const { issues, repairs, text, tokens } = skill
  const found = { name, lines: linesOf(text), report: reportOf(skill), label: "warning" }
  const { paint } = style
  const verdict = issues.length > 0 ? paint.red(count(issues.length, "issue")) : paint.green("good")
  const parts = [
    verdict,
    ...(repairs.length === 0 ? [] : [count(repairs.length, "warning")]),
    ...(tokens === undefined
      ? []
      : [`about ${tokens.planning} tokens to plan, ${tokens.refinement} to refine, ${tokens.execution} to execute`])
  ]
  return [...findingTexts(found, style), `${printable(name)}: ${parts.join(", ")}`].join("\n\n")
}

const jsonText = (skills: ReadonlyArray<LintedSkill>, failures: ReadonlyArray<string>): string =>
  printableJson(
    {
      skills: skills.map((skill) => {
        const { name, path, tokens } = skill
        return { name, path, ...reportOf(skill), ...(tokens === undefined ? {} : { tokens }) }
      }),
      failures
    },
    2
  )

/** The command. */
export const skillsLint = Command.make(
  "lint",
  {
    paths: Argument.String("PATH").pipe(
      Argument.withDescription("Skills to check: a SKILL.md, its folder, or a folder of skills. Default: your skills and those of the project"),
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
    const { failures, skills } = yield* lintProject(project, paths)
    for (const failure of failures) yield* output.tell(printable(failure))
    if (json || given.format === "json") {
      yield* output.result(jsonText(skills, failures))
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
      yield* output.tell("There are no skills of yours or of the project. Create one: task-conductor skills new NAME")
    }
    if (failures.length > 0) return yield* quietFailure(exitCodes.usage)
    if (skills.some((skill) => skill.issues.length > 0)) return yield* quietFailure(exitCodes.failed)
  })
).pipe(
  Command.withDescription("Check skill files strictly. Exit code 1 if one has an issue"),
  Command.withExamples([
    { command: "task-conductor skills lint", description: "Check your skills and those of the project" },
    { command: "task-conductor skills lint .agents/skills/count-words", description: "Check one skill" },
    { command: "task-conductor skills lint skills --format sarif > skills.sarif", description: "Write the findings for a code host" }
  ])
)
