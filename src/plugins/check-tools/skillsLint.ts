/**
 * `task-conductor skills lint`: checks skills without a model.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { issueReport } from "../../kit/documents.ts"
import { layerCatalogue, readSetup, version } from "../../kit/program.ts"
import { exitCodes, Output, quietFailure, runFlags, switchFlag, usageFailure, withHelp } from "../../kit/terminal.ts"
import { printable, printableJson } from "../../kit/text.ts"
import { ToolRegistry } from "../../kit/tools.ts"
import { counted } from "../../plugin-kit.ts"
import { sarifLog } from "./SarifLog.ts"
import { linesOf } from "./TextSpan.ts"
import { type LintedSkill, lintSkills } from "./SkillLinter.ts"
import { type CheckStyle, findingTexts, sarifPath } from "./checkText.ts"

const reportOf = ({ issues, repairs }: LintedSkill) => ({ issues: issues.map(issueReport), repairs })

const skillText = (skill: LintedSkill, name: string, style: CheckStyle): string => {
  const { issues, repairs, text, tokens } = skill
  const document = { name, lines: linesOf(text), report: reportOf(skill), label: "warning" }
  const { paint } = style
  const verdict = issues.length > 0 ? paint.red(counted(issues.length, "issue")) : paint.green("good")
  const parts = [
    verdict,
    ...(repairs.length === 0 ? [] : [counted(repairs.length, "warning")]),
    ...(tokens === undefined
      ? []
      : [`about ${tokens.planning} tokens to plan, ${tokens.refinement} to refine, ${tokens.execution} to execute`])
  ]
  return [...findingTexts(document, style), `${printable(name)}: ${parts.join(", ")}`].join("\n\n")
}

export const lint = Command.make(
  "lint",
  {
    paths: Argument.String("PATH").pipe(
      Argument.withDescription(
        "Skills to check: a SKILL.md, its folder, or a folder of skills. Default: your skills and those of the project"
      ),
      Argument.atLeast(0)
    ),
    project: runFlags.project,
    plugin: runFlags.plugin,
    format: Flag.Literals("format", ["human", "json", "sarif"]).pipe(
      Flag.withDescription("Format of the findings; sarif is for code hosts: --format sarif > skills.sarif"),
      Flag.withDefault("human")
    ),
    json: switchFlag("json", "Short for --format json: one JSON object with skills and failures")
  },
  Effect.fn("skills lint")(function* ({ json, paths, plugin, project, ...options }) {
    const output = yield* Output
    const path = yield* Path.Path
    if (json && options.format === "sarif") return yield* usageFailure("--json and --format sarif exclude each other.")
    const setup = yield* readSetup(project, { plugins: plugin })
    const { tools } = yield* Effect.provide(ToolRegistry, layerCatalogue(setup))
    const { config, home } = setup.folders
    const known = tools.map((tool) => tool.name)
    const { failures, skills } = yield* lintSkills(paths, { project: setup.project, home, config }, known)
    for (const failure of failures) yield* output.emit(printable(failure))
    if (json || options.format === "json") {
      const reports = skills.map((skill) => ({
        name: skill.name,
        path: skill.path,
        ...reportOf(skill),
        ...(skill.tokens === undefined ? {} : { tokens: skill.tokens })
      }))
      yield* output.result(printableJson({ skills: reports, failures }, 2))
    } else if (options.format === "sarif") {
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
