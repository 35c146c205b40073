/** The page of the syntaxes of calls, made from their table. */
import { callSyntaxes, type CallSyntax } from "../src/domain/tools/native/CallSyntaxes.ts"

const introduction = [
  "Models write calls as they were trained to. These syntaxes are read; each has a source, and a form without one is answered by an",
  "issue. The journal records the code with the repair `tool-call-syntax`, and `show` counts how often each repair and each syntax",
  "occurred in a run."
].join("\n")

const cell = (text: string): string => text.replaceAll("|", "\\|")

const row = ([code, { form, models, source }]: readonly [string, CallSyntax]): string =>
  `| \`${code}\` | \`\`${cell(form)}\`\` | ${cell(models)} | ${source.includes(" ") ? source : `[source](${source})`} |`

export const repairsPage = (): string =>
  [
    "# Syntaxes of calls",
    introduction,
    ["| code | form | written by | source |", "|---|---|---|---|", ...Object.entries(callSyntaxes).map(row)].join("\n")
  ].join("\n\n")
