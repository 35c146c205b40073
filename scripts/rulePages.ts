/**
 * What is made of the rules in src/domain/findings/rules: a page of docs/reference/rules for each family, and the examples of
 * `task-conductor explain`, which come from test/fixtures/rules.
 */
import type { FindingRule, RuleFamily } from "../src/domain/findings/rules/Rule.ts"
import { ruleFamilies, rules } from "../src/domain/findings/rules/Rules.ts"
import { exampleFiles, exampleKinds, inputsOfSkill } from "../test/support/ExampleKinds.ts"
import { ruleExamples } from "../test/support/RuleExamples.ts"

const header = "<!-- Made by `npm run generate` from src/domain/findings/rules; do not edit. -->"

const shownHead = 600
const shownTail = 100

const shorten = (text: string): string =>
  text.length <= 2000
    ? text
    : `${text.slice(0, shownHead)} ... (${text.length - shownHead - shownTail} more characters) ... ${text.slice(-shownTail)}`

/** Names characters that a reader cannot see. */
const visible = (text: string): string =>
  text.replaceAll("\ufeff", "[U+FEFF]").replaceAll("\r", "[CR]").replaceAll("\0", "[NUL]")

const shown = (text: string): string => visible(shorten(text))

/** What the example is, with the project or the skill that it needs. */
const aboutExample = (about: string): string => {
  const needs = [
    ...(about.includes("files of the examples") ? [`files: ${Object.keys(exampleFiles).join(", ")}`] : []),
    ...(about.includes("skill of the examples") ? [`input requirements of the skill:\n${inputsOfSkill}`] : [])
  ]
  return needs.length === 0 ? about : `${about}; ${needs.join("; ")}`
}

const examples = (): string =>
  JSON.stringify(
    Object.fromEntries(
      ruleExamples.map(({ after, alongside, before, code, kind }) => [
        code,
        { about: aboutExample(exampleKinds[kind].about), before: shown(before), after: shown(after), alongside }
      ])
    ),
    null,
    2
  )

const row = (cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`

/** A link in a text is an example, and leads nowhere. */
const quoted = (text: string): string => text.replaceAll(/\[[^\]]*\]\([^)]*\)/g, "`$&`")

/** A repair needs no fix: the text is accepted. */
const repairTable = (listed: ReadonlyArray<FindingRule>): string =>
  [
    row(["code", "meaning", "severity"]),
    "|---|---|---|",
    ...listed.map(({ code, severity, title }) => row([`\`${code}\``, title, severity]))
  ].join("\n")

const issueTable = (listed: ReadonlyArray<FindingRule>): string =>
  [
    row(["code", "meaning", "fix"]),
    "|---|---|---|",
    ...listed.map(({ code, fix, title }) => row([`\`${code}\``, title, quoted(fix)]))
  ].join("\n")

const familyPage = ({ about, family, title }: RuleFamily): string => {
  const listed = rules.filter((rule) => rule.family === family)
  const issues = listed.filter(({ severity }) => severity === "error")
  const repairs = listed.filter(({ severity }) => severity !== "error")
  return [
    header,
    `# ${title}`,
    about,
    ...(issues.length === 0 ? [] : ["## Issues", issueTable(issues)]),
    ...(repairs.length === 0 ? [] : ["## Repairs", repairTable(repairs)])
  ].join("\n\n")
}

const indexPage = (): string =>
  [
    header,
    "# Rules",
    [
      "Every finding has the code of a rule. An **issue** rejects a text; its author, a model or a user, gets the message. A **repair**",
      "accepts the text and is noted. Released codes never change. `task-conductor explain CODE` shows the reason for a rule and an",
      "example."
    ].join("\n"),
    ruleFamilies.map(({ family, title }) => `- [${title}](${family}.md)`).join("\n")
  ].join("\n\n")

/** Path and content of every file. */
export const rulePages = (): Readonly<Record<string, string>> => ({
  "src/plugins/check-tools/ruleExamples.json": `${examples()}\n`,
  "docs/reference/rules/README.md": `${indexPage()}\n`,
  ...Object.fromEntries(
    ruleFamilies.map((family) => [`docs/reference/rules/${family.family}.md`, `${familyPage(family)}\n`])
  )
})
