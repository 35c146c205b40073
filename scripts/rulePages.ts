/**
 * The pages of docs/reference/rules: an index and one page for each family, from the rules and their examples in
 * test/fixtures/rules.
 */
import type { FindingRule, RuleFamily } from "../src/domain/findings/rules/Rule.ts"
import { ruleFamilies, rules } from "../src/domain/findings/rules/Rules.ts"
import { fenced } from "../src/domain/markdown/PromptBlock.ts"
import { exampleFiles, exampleKinds, inputsOfSkill } from "../test/support/ExampleKinds.ts"
import { exampleOf } from "../test/support/RuleExamples.ts"

const header =
  "<!-- Made by `npm run generate` from src/domain/findings/rules and test/fixtures/rules; do not edit. -->"

const shownHead = 600
const shownTail = 100

const shorten = (text: string): string =>
  text.length <= 2000
    ? text
    : `${text.slice(0, shownHead)} ... (${text.length - shownHead - shownTail} more characters) ... ${text.slice(-shownTail)}`

/** Names invisible characters. */
const visible = (text: string): string =>
  text.replaceAll("\ufeff", "[U+FEFF]").replaceAll("\r", "[CR]").replaceAll("\0", "[NUL]")

const shown = (text: string): string => (text === "" ? "(nothing)" : fenced(visible(shorten(text)), "text"))

const meaningOf = {
  error: "issue: the text is rejected, and its author gets the message",
  warning: "repair, warning: accepted; something may be lost or unwanted",
  note: "repair, note: accepted"
} as const

const ruleSection = ({ code, fix, help, severity, title, why }: FindingRule): string => {
  const { after, alongside, before, kind } = exampleOf(code)
  const others = alongside.length === 0 ? "" : ` (${alongside.map((one) => `\`${one}\``).join(", ")} too)`
  return [
    `## ${code}`,
    `**${title}** (${meaningOf[severity]}). ${why}`,
    `What to do: ${fix}`,
    ...(help === undefined ? [] : [`When the model of a run does not get it right: ${help}`]),
    `Before, ${exampleKinds[kind].about}${others}:`,
    shown(before),
    "After:",
    shown(after)
  ].join("\n\n")
}

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const rulesOf = (family: string): ReadonlyArray<FindingRule> => rules.filter((rule) => rule.family === family)

const tableOf = (family: string, page: string): string =>
  [
    row(["rule", "tier", "severity", "what", "why"]),
    "|---|---|---|---|---|",
    ...rulesOf(family).map(({ code, severity, title, why }) =>
      row([`[\`${code}\`](${page}#${code})`, severity === "error" ? "issue" : "repair", severity, title, why])
    )
  ].join("\n")

const familyPage = ({ about, family, title }: RuleFamily): string =>
  [header, `# ${title}`, about, tableOf(family, ""), ...rulesOf(family).map(ruleSection)].join("\n\n")

const indexPage = (): string =>
  [
    header,
    "# Rules",
    [
      "Every finding has the code of a rule. An **issue** rejects a text and is reported to its author, a model or a person. A",
      "**repair** is noted, and the text is accepted. Released codes never change."
    ].join("\n"),
    [
      "Each rule has an example: a minimal text in which it finds something, and the same text fixed. An example shows only",
      "the relevant part of a document; the test that reads every example adds the rest.",
      "",
      `Examples that need a project use one with these files: ${Object.keys(exampleFiles)
        .map((path) => `\`${path}\``)
        .join(", ")}.`,
      "",
      "Examples of inputs use a skill with these input requirements:",
      "",
      fenced(inputsOfSkill, "markdown")
    ].join("\n"),
    ...ruleFamilies.flatMap(({ about, family, title }) => [
      `## [${title}](${family}.md)`,
      about,
      tableOf(family, `${family}.md`)
    ]),
    `${rules.length} rules.`
  ].join("\n\n")

export const rulePages = (): Readonly<Record<string, string>> => ({
  "docs/reference/rules/README.md": `${indexPage()}\n`,
  ...Object.fromEntries(
    ruleFamilies.map((family) => [`docs/reference/rules/${family.family}.md`, `${familyPage(family)}\n`])
  )
})
