/**
 * The fixed limits of time, size and number, which no setting changes directly: one row each. Values are read from
 * the source, so that the page is true. A test finds missing constants.
 */
import { readFileSync } from "node:fs"
import { counted } from "../src/domain/text/Format.ts"

type Unit = "bytes" | "seconds" | "ms" | "MB" | "time" | (string & {})

export interface FixedLimit {
  readonly area: string
  readonly what: string
  /** Constants `file#name` below `src`; several values are joined. */
  readonly from: ReadonlyArray<string>
  /** `bytes`, `seconds`, `ms`, `MB`, `time` for values such as "2 seconds", or the noun that is counted. */
  readonly unit: Unit
  readonly reached: string
  /** A setting that avoids the limit, if there is one. */
  readonly setting?: string
}

const limit = (
  area: string,
  what: string,
  from: string | ReadonlyArray<string>,
  unit: Unit,
  reached: string,
  setting?: string
): FixedLimit => ({
  area,
  what,
  from: typeof from === "string" ? [from] : from,
  unit,
  reached,
  ...(setting === undefined ? {} : { setting })
})

const files = "files"
const searching = "searching"
const changes = "changes"
const commands = "commands"
const checks = "checks"
const tools = "tools, plugins, MCP"
const models = "model servers"
const web = "web"
const saved = "runs and conversations"
const people = "questions and permissions"

export const fixedLimits: ReadonlyArray<FixedLimit> = [
  limit(
    files,
    "files and folders of a project",
    [
      "services/files/FileTree.ts#maxTreeEntries",
      "services/changes/SearchedTexts.ts#mostListed",
      "plugins/tools/FileTree.ts#mostListed"
    ],
    "entries",
    "a search and a replacement name the folders that they did not look at; with a path only what is below it counts"
  ),
  limit(
    files,
    "a file of ignore rules, such as `.gitignore`",
    "services/files/FileTree.ts#maxRuleBytes",
    "bytes",
    "it ignores nothing"
  ),
  limit(
    files,
    "the index of a git repository, for tracked files that a pattern ignores",
    "services/files/TrackedFiles.ts#maxIndexBytes",
    "bytes",
    "what a pattern ignores counts as ignored"
  ),
  limit(
    files,
    "the part of a large file that is searched for lines",
    "services/files/TextFile.ts#maxScanned",
    "bytes",
    "the call fails and says so"
  ),
  limit(
    files,
    "lines of a too large file, in one call",
    ["plugins/tools/ReadFile.ts#partBytes", "services/references/FileReferences.ts#partBytes"],
    "bytes",
    "the rest is read by another call",
    "`limits.readFileBytes`"
  ),
  limit(
    files,
    "a description of the project, such as `AGENTS.md`",
    "services/files/Descriptions.ts#maxBytes",
    "bytes",
    "it is left out, with a note"
  ),
  limit(
    files,
    "imports of one description (`@file`)",
    "services/files/Descriptions.ts#mostImports",
    "imports",
    "others are not read, with a note"
  ),
  limit(
    files,
    "a file whose whole text decides the encoding",
    ["services/files/TextFile.ts#maxDecodedBytes", "services/files/AtomicWrite.ts#mostEncoded"],
    "bytes",
    "the lines that are asked for tell it"
  ),
  limit(
    files,
    "a configuration or other file of task-conductor",
    "services/files/GivenFile.ts#maxBoundedBytes",
    "bytes",
    "an error names the file"
  ),
  limit(files, "a file of an option", "services/files/GivenFile.ts#maxGivenBytes", "bytes", "an error names the file"),
  limit(
    files,
    "the input attached to a prompt",
    "cli/terminal/Input.ts#attachedBytes",
    "bytes",
    "it is cut, with a note"
  ),
  limit(
    files,
    "symbolic links in a row",
    [
      "services/files/CanonicalPath.ts#maxLinks",
      "services/commands/CommandScripts.ts#maxLinks",
      "services/files/Workspace.ts#maxLinks"
    ],
    "links",
    "they count as a cycle"
  ),
  limit(
    files,
    "files and folders in the map of a project",
    "services/map/MapReader.ts#mostMapped",
    "entries",
    "the map goes as far as that"
  ),
  limit(
    files,
    "making the map of a project",
    "services/map/MapReader.ts#listingTime",
    "time",
    "the map goes as far as that"
  ),
  limit(
    files,
    "a manifest, and a source file, for the map and the choice of checks",
    ["services/map/MapReader.ts#manifestBytes", "services/map/MapReader.ts#sourceBytes"],
    "bytes",
    "it is not looked at"
  ),
  limit(
    files,
    "tests searched for imports",
    "services/map/MapReader.ts#mostSearched",
    "files",
    "others are not looked at"
  ),
  limit(
    searching,
    "how long before its limit `search_files` ends, to show what it has",
    "plugins/tools/SearchFiles.ts#secondsToShow",
    "seconds",
    "the result says which share of the files was searched",
    "`limits.toolSeconds`, `limits.tools.search_files.seconds`"
  ),
  limit(
    searching,
    "a file searched for the prefetch, uses of a changed name, and items",
    "services/changes/SearchedTexts.ts#maxSearchedBytes",
    "bytes",
    "it is not searched"
  ),
  limit(
    searching,
    "files searched for the prefetch, uses of a changed name, and uses of a change",
    "services/changes/SearchedTexts.ts#mostSearched",
    "files",
    "nothing is searched for"
  ),
  limit(
    searching,
    "paths compared for the nearest name",
    "domain/files/PathList.ts#maxCompared",
    "paths",
    "others are not suggested"
  ),
  limit(
    searching,
    "a file searched for a quotation",
    "services/references/Evidence.ts#maxBytes",
    "bytes",
    "only that the file is there is checked"
  ),
  limit(
    changes,
    "an edited file",
    "services/tools/FileAccess.ts#maxEditBytes",
    "bytes",
    "the change fails and says so"
  ),
  limit(
    changes,
    "a file in a replacement everywhere",
    "services/changes/SearchedTexts.ts#maxChangedBytes",
    "bytes",
    "it is named as not looked at if it holds the text, and the run is not `done`"
  ),
  limit(
    changes,
    "files of a folder that one change moves or removes",
    "domain/files/FileEntry.ts#mostInFolder",
    "files",
    "the change fails and says so"
  ),
  limit(
    changes,
    "a file whose changes by several tasks are merged",
    "services/pipeline/JoinChanges.ts#maxBytes",
    "bytes",
    "the later task fails and says so"
  ),
  limit(
    changes,
    "a file kept for `undo`, and compared by content",
    ["domain/files/FileEntry.ts#mostKept", "services/files/Hash.ts#maxHashed"],
    "bytes",
    "`undo` names it; size and time are compared"
  ),
  limit(
    changes,
    "a file compared with what a call was to write",
    "services/files/Workspace.ts#maxComparedBytes",
    "bytes",
    "the user is asked about the call"
  ),
  limit(
    commands,
    "the output of a command",
    "services/commands/ChildRun.ts#maxOutputBytes",
    "bytes",
    "it is stopped; the result says so"
  ),
  limit(
    commands,
    "the kept beginning and end of an output, each; error lines between them",
    ["domain/commands/CommandOutput.ts#keptBytes", "domain/commands/CommandOutput.ts#troubleBytes"],
    "bytes",
    "a note says how much is left out"
  ),
  limit(commands, "a command line", "domain/commands/CommandText.ts#maxBytes", "bytes", "the call is rejected"),
  limit(
    commands,
    "the time between SIGTERM and SIGKILL of a command",
    "services/commands/ChildRun.ts#grace",
    "time",
    "it is killed"
  ),
  limit(
    commands,
    "a temporary folder of the sandbox",
    "domain/commands/CommandLimits.ts#temporaryMegabytes",
    "MB",
    "the program gets an error; the result says so",
    "`limits.commandMemoryMegabytes`, if that is less"
  ),
  limit(
    commands,
    "the least memory of a command",
    "domain/commands/CommandLimits.ts#leastMemoryMegabytes",
    "MB",
    "",
    "`limits.commandMemoryMegabytes`"
  ),
  limit(
    commands,
    "files and folders of a project that the sandbox protects",
    "services/commands/ProjectSurvey.ts#maxEntries",
    "entries",
    "commands fail and say so"
  ),
  limit(
    commands,
    "configuration of git that the sandbox follows",
    "services/commands/ProjectSurvey.ts#maxBytes",
    "bytes",
    "it counts as empty"
  ),
  limit(
    commands,
    "the search for secrets in the commits of a repository",
    "services/commands/CommittedSecrets.ts#patience",
    "time",
    "its commits are hidden from commands",
    '`"sandbox": { "git": true }`'
  ),
  limit(
    commands,
    "a proposed text file of a command",
    "services/commands/CopyChanges.ts#maxBytes",
    "bytes",
    "`not_proposed` of the result names it"
  ),
  limit(
    commands,
    "a copy of a project, if the system has no overlay",
    "services/commands/ProjectCopy.ts#maxBytes",
    "bytes",
    "the command fails and says so"
  ),
  limit(
    commands,
    "scripts of a command that a rule watches",
    "services/commands/CommandScripts.ts#maxScripts",
    "scripts",
    "others are not watched"
  ),
  limit(
    commands,
    "a script searched for further scripts",
    "services/commands/CommandScripts.ts#maxBytes",
    "bytes",
    "what it starts is not watched"
  ),
  limit(
    checks,
    "checks tried during the planning",
    "services/checks/Checks.ts#mostTried",
    "checks",
    "others are not tried"
  ),
  limit(
    checks,
    "how long the first task waits for such a trial",
    "services/pipeline/CheckTrial.ts#longestWait",
    "time",
    "the task begins; the trial ends when changes are checked"
  ),
  limit(
    checks,
    "the trial of a check that nobody named",
    "services/checks/Checks.ts#longestTry",
    "seconds",
    "it is stopped: it can start",
    "`--check`"
  ),
  limit(
    checks,
    "a check repeated because it may be flaky",
    "services/checks/CheckRuns.ts#longestRepeat",
    "seconds",
    "it is not repeated"
  ),
  limit(
    checks,
    "a check repeated with the old code, for changed tests",
    "services/checks/CheckRuns.ts#longestTrial",
    "seconds",
    "it is not repeated"
  ),
  limit(
    checks,
    "the trial of a program by `doctor`",
    "app/diagnosis.ts#trialSeconds",
    "seconds",
    "the finding says so"
  ),
  limit(checks, "programs that `doctor` tries", "app/diagnosis.ts#mostTried", "programs", "others are not tried"),
  limit(
    tools,
    "importing a plugin",
    "services/plugins/PluginPackages.ts#importTime",
    "time",
    "it is left out, with a warning"
  ),
  limit(tools, "a listener with one event", "app/startup.ts#listenTime", "time", "it hears no more of the run"),
  limit(
    tools,
    "a secret from a file or a command",
    "services/plugins/Secrets.ts#mostBytes",
    "bytes",
    "the secret counts as missing"
  ),
  limit(
    tools,
    "a command that prints a secret",
    "services/plugins/Secrets.ts#commandTime",
    "ms",
    "the secret counts as missing"
  ),
  limit(
    tools,
    "a file that a plugin's tool reads without a size",
    "services/tools/CallContext.ts#usualBytes",
    "bytes",
    "the call fails"
  ),
  limit(
    tools,
    "a plugin that creates its tools",
    "services/tools/PluginLoader.ts#loadTime",
    "time",
    "it is left out, with a warning"
  ),
  limit(
    tools,
    "a plugin's code after a stop",
    "services/tools/ForeignCode.ts#grace",
    "time",
    "its call ends with `timeout`"
  ),
  limit(
    tools,
    "files of a trusted plugin",
    "services/plugins/PluginFinder.ts#maxFiles",
    "files",
    "it cannot be trusted; the message says so"
  ),
  limit(
    tools,
    "the size of these files together",
    "services/plugins/PluginFinder.ts#maxBytes",
    "bytes",
    "it cannot be trusted; the message says so"
  ),
  limit(
    tools,
    "entries of a task's to-do list",
    "plugins/tools/ScratchTasks.ts#maxEntries",
    "entries",
    "the call fails and says so"
  ),
  limit(
    tools,
    "a message of an MCP server",
    "plugins/mcp/McpConnection.ts#maxMessageBytes",
    "bytes",
    "the server counts as broken"
  ),
  limit(
    tools,
    "an MCP server after a stop",
    ["plugins/mcp/McpConnection.ts#grace", "plugins/mcp/McpToolServer.ts#grace"],
    "time",
    "it is killed"
  ),
  limit(
    tools,
    "starting an MCP server",
    "plugins/mcp/McpPlugins.ts#defaultStartTimeout",
    "seconds",
    "it is left out, with a warning",
    "`mcpServers.NAME.startTimeout`"
  ),
  limit(
    tools,
    "levels of the schema of an MCP tool",
    "plugins/mcp/McpSchema.ts#maxDepth",
    "levels",
    "the tool is left out, with a warning"
  ),
  limit(tools, "a skill file", "services/skills/SkillFolders.ts#maxSkillBytes", "bytes", "it is left out, with a note"),
  limit(
    tools,
    "files beside a skill that a prompt names",
    "services/skills/SkillFolders.ts#maxFiles",
    "files",
    "others are not named"
  ),
  limit(
    tools,
    "entries and levels of a folder searched for them",
    ["services/skills/SkillFolders.ts#maxEntries", "services/skills/SkillFolders.ts#maxDepth"],
    "",
    "others are not named"
  ),
  limit(
    tools,
    "turns of a skill",
    "domain/skills/Skill.ts#maxTurns",
    "turns",
    "the skill is rejected",
    "`limits.turns`"
  ),
  limit(
    models,
    "one line, or one document, of a model server",
    "services/providers/ServerTransport.ts#maxBytes",
    "bytes",
    "the answer counts as broken off"
  ),
  limit(
    models,
    "the text of an error of a model server",
    "services/providers/ServerTransport.ts#errorBytes",
    "bytes",
    "the rest is not read"
  ),
  limit(
    models,
    "facts about a model (window, templates, slots)",
    [
      "services/providers/ollama/OllamaServer.ts#patience",
      "plugins/openai/OpenAiServer.ts#factsTimeout",
      "app/serverModels.ts#patience"
    ],
    "time",
    "the run goes on without them",
    "`contextWindow`, `parallel`"
  ),
  limit(
    models,
    "the list of models that an editor offers",
    "plugins/acp/SessionChoices.ts#patience",
    "time",
    "the editor offers the model of the configuration only"
  ),
  limit(
    models,
    "the properties of a llama-server, which may load a model first",
    "plugins/openai/OpenAiServer.ts#propertiesTimeout",
    "time",
    "the run goes on without them",
    "`contextWindow`"
  ),
  limit(
    models,
    "how long facts about a server stay valid",
    "services/providers/ollama/OllamaServer.ts#valid",
    "time",
    "it is asked again"
  ),
  limit(
    models,
    "equal lines of words; tokens of a repeated text",
    ["domain/documents/RepetitionWatch.ts#mostEqualLines", "domain/documents/RepetitionWatch.ts#mostLoopTokens"],
    "",
    "the answer is stopped and asked for again"
  ),
  limit(
    models,
    "repetitions of one word",
    "domain/documents/RepetitionWatch.ts#mostEqualWords",
    "times",
    "the answer is stopped and asked for again"
  ),
  limit(
    models,
    "blank lines in a row",
    "domain/documents/RepetitionWatch.ts#mostBlankLines",
    "lines",
    "the answer is stopped and asked for again"
  ),
  limit(
    models,
    "repeated words, and other characters, in code, a change, a call or data",
    [
      "domain/documents/RepetitionWatch.ts#mostCodeCharacters",
      "domain/documents/RepetitionWatch.ts#mostDataCharacters"
    ],
    "characters",
    "the answer is stopped and asked for again"
  ),
  limit(
    models,
    "useless answers in a row, at one place",
    "domain/documents/UselessAnswers.ts#mostUselessAnswers",
    "answers",
    "the model is given up: exit code 3 for a plan, else 6"
  ),
  limit(web, "redirects of a page", "plugins/web/PublicWeb.ts#maxRedirects", "redirects", "the fetch fails"),
  limit(web, "a page", "plugins/web/PublicWeb.ts#defaultMaxBytes", "bytes", "the fetch fails"),
  limit(web, "memory for reading a page", "plugins/web/PublicWeb.ts#maxMegabytes", "MB", "the fetch fails"),
  limit(saved, "a journal", "services/journal/JournalReader.ts#maxJournalBytes", "bytes", "an error names the file"),
  limit(
    saved,
    "the search for locks of projects",
    "services/files/ProjectWriteLock.ts#longestLook",
    "ms",
    "the run does not begin; the message names the process"
  ),
  limit(
    saved,
    "kept conversations of a project",
    "services/conversation/ConversationStore.ts#mostConversations",
    "conversations",
    "the oldest is removed"
  ),
  limit(
    saved,
    "kept typed messages of a project",
    "services/conversation/ConversationStore.ts#mostMessages",
    "messages",
    "the oldest are removed"
  ),
  limit(
    saved,
    "a custom command of `ask`",
    "services/conversation/CustomCommands.ts#mostBytes",
    "bytes",
    "it is left out"
  ),
  limit(
    tools,
    "images and files of one tool call",
    "services/tools/KeepOutput.ts#mostFiles",
    "",
    "the call fails and says so"
  ),
  limit(
    saved,
    "images in a report",
    "plugins/report/ReportImages.ts#mostBytes",
    "bytes",
    "others are named, with where they are kept"
  ),
  limit(
    saved,
    "a worker's heartbeat without an answer",
    "plugins/cluster/BossWork.ts#heartbeatLimit",
    "time",
    "it is sent again on another connection"
  ),
  limit(
    saved,
    "retries of a query to the database of a cluster",
    "plugins/cluster/DatabaseErrors.ts#patience",
    "time",
    "the worker ends"
  ),
  limit(
    saved,
    "a worker's work without a heartbeat",
    "plugins/cluster/WorkQueues.ts#heartbeatSeconds",
    "seconds",
    "another worker takes it"
  ),
  limit(
    people,
    "a file with remembered permissions",
    "services/permissions/Policies.ts#maxBytes",
    "bytes",
    "it is not used; a warning says so"
  ),
  limit(
    people,
    "a file whose change a question shows",
    "services/permissions/QuestionItem.ts#previewBytes",
    "bytes",
    "the question says that it is not shown"
  ),
  limit(
    people,
    "denials of the same effect",
    "services/permissions/GateQuestion.ts#maxDenials",
    "denials",
    "the task ends"
  ),
  limit(
    people,
    "files named in the question about an MCP server",
    "plugins/mcp/McpServers.ts#maxFiles",
    "files",
    "others are counted"
  ),
  limit(
    people,
    "the wait for the first byte of an attached stdin",
    "cli/terminal/Input.ts#silence",
    "time",
    "the command goes on without it"
  )
]

/** Constants of time, size and number that are no limits: frequencies, precisions, distances. */
export const noLimits: ReadonlyArray<string> = [
  "plugins/acp/SessionChoices.ts#patience",
  "plugins/cluster/workerWork.ts#idleTimeToLive",
  "plugins/cluster/worker.ts#handOverTime",
  "cli/terminal/ProcessEnd.ts#grace",
  "cli/completion/completion.ts#patience",
  "cli/completion/completion.ts#mostRuns",
  "domain/commands/CommandOutput.ts#noteBytes",
  "domain/configuration/Limits.ts#mostSeconds",
  "domain/documents/AnswerGrammar.ts#mostCalls",
  "domain/documents/CompactedFiles.ts#mostImports",
  "domain/documents/TaskItems.ts#mostLinks",
  "domain/files/GitIndex.ts#statBytes",
  "domain/files/NewText.ts#mostKept",
  "domain/runs/RunOutcome.ts#maxSources",
  "domain/tools/native/PythonCalls.ts#maxDepth",
  "cli/approval/TerminalQuestion.ts#modeSwitchTime",
  "cli/approval/TerminalQuestion.ts#pasteTime",
  "plugins/cluster/DatabaseErrors.ts#slowTime",
  "plugins/cluster/ClusterJournal.ts#together",
  "plugins/cluster/ClusterRuns.ts#mostEvents",
  "plugins/cluster/ClusterWorkers.ts#quietTime",
  "plugins/cluster/WorkerMetrics.ts#interval",
  "plugins/cluster/ClusterWorkers.ts#mostCalls",
  "plugins/cluster/ClusterWorkers.ts#reportInterval",
  "plugins/cluster/ClusterWorkers.ts#freshSeconds",
  "plugins/cluster/ClusterWorkers.ts#aliveSeconds",
  "plugins/cluster/WorkQueues.ts#definitionLimit",
  "services/pipeline/PlaceEdits.ts#longestLook",
  "services/files/BinaryPatch.ts#lineBytes",
  "services/files/ProcessLock.ts#answerTime",
  "services/files/TextFile.ts#chunkBytes",
  "services/files/TrackedFiles.ts#maxSettingBytes",
  "plugins/mcp/McpPlugins.ts#quietStart",
  "services/providers/embedded/DemoAnswer.ts#mostCalls",
  "services/providers/ServerTransport.ts#endGrace"
]

const source = new URL("../src/", import.meta.url)

/** The value of a constant in the source. */
export const valueOf = (from: string): string => {
  const [file = "", name = ""] = from.split("#")
  const text = readFileSync(new URL(file, source), "utf8")
  const value = new RegExp(String.raw`^(?:export )?const ${name}(?:: [\w<>]+)? = (.+)$`, "m").exec(text)?.[1]
  if (value === undefined) throw new Error(`There is no constant ${name} in src/${file}; see scripts/fixedLimits.ts.`)
  return value
}

const numberOf = (value: string): number =>
  (/\(([\d_]+)\)$/.exec(value)?.[1] ?? value)
    .split("*")
    .reduce((product, factor) => product * Number(factor.replaceAll(/[_\s]/g, "")), 1)

const sizes = [
  [1_073_741_824, "GiB"],
  [1_048_576, "MiB"],
  [1024, "KiB"]
] as const

const bytesText = (bytes: number): string => {
  const [size, name] = sizes.find(([unit]) => bytes >= unit && bytes % unit === 0) ?? [1, "bytes"]
  return `${(bytes / size).toLocaleString("en")} ${name}`
}

const textOf = (value: string, unit: Unit): string => {
  switch (unit) {
    case "bytes":
      return bytesText(numberOf(value))
    case "ms":
      return counted(numberOf(value) / 1000, "second")
    case "time":
      return value.startsWith('"') ? value.slice(1, -1) : counted(numberOf(value), "second")
    default:
      return `${numberOf(value).toLocaleString("en")} ${unit}`.trim()
  }
}

export const fixedRows = (): ReadonlyArray<ReadonlyArray<string>> =>
  fixedLimits.map(({ area, from, setting, unit, what }) => [
    area,
    what,
    `${[...new Set(from.map((one) => textOf(valueOf(one), unit)))].join(", ")}${setting === undefined ? "" : `; see ${setting}`}`
  ])
