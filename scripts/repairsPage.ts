/** The page of the syntaxes of calls with their sources, made from their table. */
import { callSyntaxes, type CallSyntax } from "../src/domain/tools/native/CallSyntaxes.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

const sourceCell = (source: string): string => (source.includes(" ") ? source : `[source](${source})`)

const syntaxRow = ([code, { form, models, source }]: readonly [string, CallSyntax]): string =>
  `| \`${code}\` | \`\`${cell(form)}\`\` | ${cell(models)} | ${sourceCell(source)} |`

export const repairsPage = (): string =>
  [
    "# Repairs",
    [
      "task-conductor repairs a deviation only if it has a source: a template of a model or an agent, a public report, a real answer, or",
      "a page that promises it. Any other deviation is an issue, and the model fixes it. `task-conductor explain CODE` names the source",
      "of a repair."
    ].join("\n"),
    "## Syntaxes of calls",
    [
      "Models write calls as they were trained to. task-conductor reads these syntaxes. The journal names the code of the syntax",
      "in the repair `tool-call-syntax`."
    ].join("\n"),
    ["| code | form | written by | source |", "|---|---|---|---|", ...Object.entries(callSyntaxes).map(syntaxRow)].join(
      "\n"
    )
  ].join("\n\n")
