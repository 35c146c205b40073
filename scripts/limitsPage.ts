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
    "The stage fails: no valid plan (exit code 3), a failed task, an outstanding task list that is kept, or a run without an answer (exit code 1). The message counts the attempts.",
  thinkingTokens: "The thoughts are cut off, and the next attempt asks the model not to think.",
  connectSeconds: "The call fails as unreachable; see `unreachableRetries` and `serverWaitSeconds`.",
  firstWordSeconds: "The call is repeated; see `brokenRetries`.",
  nextWordSeconds: "The call is repeated; see `brokenRetries`.",
  callSeconds: "The call fails, however much of the answer has come, and is not repeated.",
  busyRetries: "A task fails; outside a task the run ends with exit code 5.",
  unreachableRetries: "The run ends with exit code 5.",
  brokenRetries: "The call fails.",
  rounds: "The run answers from its results, with exit code 6. Flag: `--max-rounds`, also of `resume`.",
  turns: "The task fails, and its changes are not made.",
  items: "The run asks whether to go on with all; without an answer the task is declined.",
  toolCallsPerIteration: "Further calls are not run; each gets a result that says so.",
  iterationsPerMessage: "The model answers with what it has, without tools (exit code 6).",
  currentFileLines: "The prompt shows a part of the file, with a note.",
  readFileBytes: "The call reads lines of the file, and the result says how to read on.",
  identicalCalls:
    "The task fails; in `ask` the model answers without tools (exit code 6). `check` rejects such a refinement.",
  serverWaitSeconds: "The run ends with exit code 5 and can be resumed.",
  toolSeconds: "The call ends with `timeout`.",
  toolOutputBytes: "The output is left out with `output_limit`.",
  toolFileBytes: "The result is left out with `output_limit`.",
  commandSeconds: "The command ends with `timeout`; the message shows the end of its output.",
  checkSeconds: "The check is stopped. It fails if it ended without the changes; otherwise it proves nothing.",
  commandMemoryMegabytes:
    "The command is stopped. Without a control group, task-conductor reads the used memory three times a second.",
  commandProcesses: "The command is stopped, or cannot start more.",
  commandFileMegabytes: "The program gets the signal `SIGXFSZ`, or an error.",
  fetchSeconds: "The fetch ends with `timeout`."
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
      "Where the table says so, a stage may have other limits under `limits.stages`, and a tool under `limits.tools`. They are",
      "merged key by key, like the limits of the run. The message or result of a call, check or run that reached a limit names it."
    ].join("\n"),
    `During a call of a model or a tool, a line (and the event \`model.waiting\` or \`tool.running\`) says every ${heartbeatEvery / 1000} seconds what it\nwaits for and when its limit ends it.`,
    "## Limits that can be set",
    tableOf(["limit", "default", "for", "meaning", "when it is reached"], [...settable, ...ofTools]),
    "## Limits in other settings",
    tableOf(["setting", "default", "more"], elsewhere),
    "## Limits that are fixed",
    "A message or a note names the limit that was reached. `scripts/fixedLimits.ts` says for each what happens then.",
    ...fixedTables()
  ].join("\n\n")
