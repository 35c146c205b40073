/**
 * The reference page of limits: settings with defaults from the schema, and fixed limits from constants
 * (fixedLimits.ts).
 */
import type * as Schema from "effect/Schema"
import { configurationJsonSchema } from "../src/domain/configuration/Configuration.ts"
import { defaultLimits, Limits, stageLimitNames, toolLimitNames } from "../src/domain/configuration/Limits.ts"
import { commandSeconds } from "../src/domain/commands/CommandSettings.ts"
import { defaultContextWindow } from "../src/domain/models/ContextWindow.ts"
import { heartbeatEvery } from "../src/domain/runs/RunEvent.ts"
import { defaultStartTimeout } from "../src/plugins/mcp/McpPlugins.ts"
import { fixedRows } from "./fixedLimits.ts"
import { defaultSettings } from "../src/services/runs/RunSettings.ts"

type SingleLimit = Exclude<keyof Limits, "stages" | "tools">

/** What happens at each limit, and how the user learns of it. */
const reached: Readonly<Record<SingleLimit, string>> = {
  attempts:
    "The stage has failed: no valid plan (exit code 3), a failed task, an outstanding task list that is kept, or a run without an answer (exit code 1). The message says after how many tries, and names this limit.",
  thinkingTokens:
    "The thoughts are cut off, and the next attempt is asked not to think. In `ask` the message names this limit.",
  connectSeconds: "The call has failed as unreachable; see `unreachableRetries` and `serverWaitSeconds`.",
  firstWordSeconds: "The call is given up and sent again; see `brokenRetries`.",
  nextWordSeconds: "The call is given up and sent again; see `brokenRetries`.",
  callSeconds: "The call has failed, however much of the answer has come. It is not sent again.",
  busyRetries:
    "A task has failed; outside a task the run ends with exit code 5. The message of the server names this limit.",
  unreachableRetries: "The run ends with exit code 5.",
  brokenRetries: "The call has failed. The message names this limit, and that of time if one ended the call.",
  rounds: "The run ends with exit code 6 and an answer from what was found. Flag: `--max-rounds`, also of `resume`.",
  turns: "The task has failed; the message names this limit. Its changes are not made.",
  items: "The run asks whether to go on with all; without an answer the task is declined.",
  toolCallsPerIteration: "Further calls of the iteration are not run; each gets a result that names this limit.",
  iterationsPerMessage: "The model answers with what it has, without tools (exit code 6).",
  currentFileLines: "The file is shown in part, with a note in the prompt.",
  readFileBytes: "Lines of the file are read instead of the whole, and the result says how to read on.",
  identicalCalls:
    "The task has failed; in `ask` the model answers without tools (exit code 6). A refinement is rejected by `check`.",
  serverWaitSeconds: "The run ends with exit code 5; the message names this limit. It can be resumed.",
  toolSeconds: "The call is stopped with `timeout`; its message names this limit.",
  toolOutputBytes: "The output is left out with `output_limit`; its message names this limit.",
  toolFileBytes: "The result is left out with `output_limit`; its message names this limit.",
  commandSeconds:
    "The command is stopped with `timeout`; its message names this limit and shows the end of its output.",
  checkSeconds:
    "The check is stopped. It has failed where it ended without the changes, and proves nothing where it did not; its text names this limit.",
  commandMemoryMegabytes:
    "The command is stopped; its result names this limit. Where the kernel does not hold it in a control group, what is used is read three times a second.",
  commandProcesses: "The command is stopped, or cannot start more; its result names this limit.",
  commandFileMegabytes: "The program gets the signal `SIGXFSZ`, or an error; the result names this limit.",
  fetchSeconds: "The fetch ends with `timeout`; its message names this limit."
}

const singleLimits = Object.keys(Limits.fields).filter(
  (name): name is SingleLimit => name !== "stages" && name !== "tools"
)

const stageNames: ReadonlyArray<string> = stageLimitNames

interface Described {
  readonly properties: Record<string, Described>
  readonly description: string
}

const described = (configurationJsonSchema() as Schema.Json & Described).properties["limits"]

/** The description without the default, which has its own column. */
const meaningOf = (name: string): string =>
  (described?.properties[name]?.description ?? "").replace(/ Default: \d+\.$/, "")

const settable = singleLimits.map((name) => [
  `\`limits.${name}\``,
  String(defaultLimits[name]),
  stageNames.includes(name) ? "run, stage" : "run",
  meaningOf(name),
  reached[name]
])

/** Limits of single tools. */
const ofTools = toolLimitNames.map((name) => {
  const general = name === "seconds" ? "toolSeconds" : "toolOutputBytes"
  const meaning = (name === "seconds" ? "toolSeconds" : "toolOutputBytes") satisfies SingleLimit
  return [`\`limits.tools.NAME.${name}\``, `\`limits.${general}\``, "tool", meaningOf(meaning), reached[general]]
})

/** Limits in other parts of the configuration. */
const elsewhere = [
  [
    "`contextWindow`",
    `${defaultContextWindow} tokens, or what [the model](models.md#the-context-window) says`,
    "`--context-window`"
  ],
  ["`referenceBudget`", "twice the number of tokens of the context window, in characters", ""],
  ["`parallel`", String(defaultSettings.parallel), "`--parallel`"],
  ["`tools.NAME.timeoutSeconds`", "`limits.commandSeconds`", `at most ${commandSeconds.most}`],
  ["`timeout_seconds` of a call of `run_command`", "`limits.commandSeconds`", `at most ${commandSeconds.most}`],
  ["`mcpServers.NAME.startTimeout`", `${defaultStartTimeout} seconds`, "for starting the server"]
]

/** Limits that are not one constant. */
const others = [
  ["run", "a task fails in the same way", "twice"],
  ["commands", "a command, whatever its call says", `${commandSeconds.most} seconds`]
]

const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n")

/** A table of the fixed limits of each part. */
const fixedTables = (): ReadonlyArray<string> => {
  const rows = [...others, ...fixedRows()]
  return [...new Set(rows.map(([part]) => part ?? ""))].map(
    (part) =>
      `### ${part}\n\n${tableOf(
        ["what", "limit"],
        rows.filter(([of]) => of === part).map((row) => row.slice(1))
      )}`
  )
}

export const limitsPage = (): string =>
  [
    "# Limits",
    [
      "Every limit of a run or a conversation, with its default. Set them under `limits` in [the configuration](configuration.md)",
      "or as the option `limits` of a script:"
    ].join("\n"),
    [
      "```json",
      "{",
      '  "limits": {',
      '    "firstWordSeconds": 600,',
      '    "stages": { "plan": { "attempts": 8, "callSeconds": 3600 } },',
      '    "tools": { "search_files": { "seconds": 300 } }',
      "  }",
      "}",
      "```"
    ].join("\n"),
    [
      "A stage may have limits of its own under `limits.stages` where the table says so, and a tool under `limits.tools`. They are",
      "merged key by key, like the limits of the run. What ends a call or a run says so, with the name of the limit."
    ].join("\n"),
    `While a call of the model or of a tool goes on, a line (and the event \`model.waiting\` or \`tool.running\`) says at least every ${heartbeatEvery / 1000}\nseconds what it waits for and when its limit ends it.`,
    "## Limits that can be set",
    tableOf(["limit", "default", "for", "meaning", "when it is reached"], [...settable, ...ofTools]),
    "## Limits in other settings",
    tableOf(["setting", "default", "more"], elsewhere),
    "## Limits that are fixed",
    "A message or a note names the limit that was reached. `scripts/fixedLimits.ts` says for each what happens then.",
    ...fixedTables()
  ].join("\n\n")
