/** The page of repairs and call syntaxes with their sources. */
import { rules } from "../src/domain/findings/rules/Rules.ts"
import { callSyntaxes, type CallSyntax } from "../src/domain/tools/native/CallSyntaxes.ts"

const introduction = [
  "A deviation is repaired when it has a source: a template of a model or an agent, a public report, a real answer, or a page that",
  "promises it. Any other deviation is an issue, which the model is asked to fix. The journal records the code of each repair, and",
  "`show` counts how often it occurred in a run."
].join("\n")

const aboutSyntaxes = [
  "Models write calls as they were trained to. These syntaxes are read; a form without a source is answered by an issue. The",
  "journal records the code with the repair `tool-call-syntax`."
].join("\n")

const cell = (text: string): string => text.replaceAll("|", "\\|")

const sourceCell = (source: string): string => {
  if (source.includes(" ")) return source
  if (!source.startsWith("docs/")) return `[source](${source})`
  return `[promised](${source.startsWith("docs/internals/") ? "" : "../"}${source.replace(/^docs\/(?:internals\/)?/, "")})`
}

const syntaxRow = ([code, { form, models, source }]: readonly [string, CallSyntax]): string =>
  `| \`${code}\` | \`\`${cell(form)}\`\` | ${cell(models)} | ${sourceCell(source)} |`

const repairRows = rules.flatMap(({ code, source, title }) =>
  source === undefined ? [] : [`| \`${code}\` | ${cell(title)} | ${sourceCell(source)} |`]
)

export const repairsPage = (): string =>
  [
    "# Repairs",
    introduction,
    ["| code | deviation | source |", "|---|---|---|", ...repairRows].join("\n"),
    "## Syntaxes of calls",
    aboutSyntaxes,
    ["| code | form | written by | source |", "|---|---|---|---|", ...Object.entries(callSyntaxes).map(syntaxRow)].join(
      "\n"
    )
  ].join("\n\n")
