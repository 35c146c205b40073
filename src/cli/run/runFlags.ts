/**
 * The flags that `run` and other commands share, and the order and configuration made from them.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { splitCommand } from "../../domain/commands/CommandSplit.ts"
import { rulesOfChecks } from "../../domain/configuration/CheckLine.ts"
import { type Configuration, keepAlivePattern } from "../../domain/configuration/Configuration.ts"
import { generatingStages, type Think } from "../../domain/models/Generation.ts"
import { present, runArgument, switchFlag, textFlag, wholeNumberFlag } from "../terminal/Flags.ts"
import { type Verdict, parseRule } from "../../domain/permissions/Permission.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { usageFailure } from "../terminal/Failure.ts"
import {
  attachedBytes,
  readAttached,
  readInput,
  readPromptFile,
  readPromptStdin,
  readWaitingStdin
} from "../terminal/Input.ts"
import { Output } from "../terminal/Output.ts"
import { answerSchema } from "../../domain/documents/AnswerFormat.ts"
import type { Attachment } from "../../domain/models/Briefing.ts"

const levels = ["off", "on", "low", "medium", "high"] as const

export const modelFlags = {
  contextWindow: wholeNumberFlag("context-window", 1, 10_000_000).pipe(
    Flag.withDescription(
      "The size of the context window in tokens: --context-window 16384. Default: that of the Modelfile or of the loaded model, else 8192"
    ),
    Flag.optional
  ),
  think: Flag.Literals("think", levels).pipe(
    Flag.withDescription("Whether, or how much, the model thinks before it answers: --think off"),
    Flag.optional
  ),
  toolCalls: Flag.Literals("tool-calls", ["text", "native"]).pipe(
    Flag.withDescription(
      "How the model calls tools: in the text of its answers, or through the interface of its server: --tool-calls native"
    ),
    Flag.optional
  ),
  keepAlive: Flag.String("keep-alive").pipe(
    Flag.filter(
      (time) => keepAlivePattern.test(time),
      () => 'a time such as "30m" or "2h"; -1s is for ever'
    ),
    Flag.withMetavar("TIME"),
    Flag.withDescription(
      "How long an Ollama server keeps the model loaded after a call: --keep-alive 2h; -1s is for ever. Default: 30m"
    ),
    Flag.optional
  ),
  temperature: Flag.Finite("temperature").pipe(
    Flag.filter(
      (number) => number >= 0 && number <= 2,
      () => "a number between 0 and 2"
    ),
    Flag.withMetavar("N"),
    Flag.withDescription("How far the model strays from its most probable words: --temperature 0.2"),
    Flag.optional
  ),
  seed: wholeNumberFlag("seed", 0, 2_147_483_647).pipe(
    Flag.withDescription("The number that chance begins with: --seed 1"),
    Flag.optional
  )
}

/** The parsed values. */
export type ModelFlags = Command.Command.Config.Infer<typeof modelFlags>

const thinkOf = (level: (typeof levels)[number]): Think => (level === "off" ? false : level === "on" ? true : level)

/** The flags as a configuration. */
export const modelConfiguration = ({
  contextWindow,
  keepAlive,
  seed,
  temperature,
  think,
  toolCalls
}: ModelFlags): Configuration => {
  const sampling = present({ temperature, seed })
  return {
    ...present({ contextWindow, keepAlive, think: Option.map(think, thinkOf), toolCalls }),
    ...(Object.keys(sampling).length === 0 ? {} : { sampling })
  }
}

const ruleFlag = (verdict: Verdict & string) =>
  Flag.String(verdict).pipe(
    Flag.mapEffect((value) =>
      Result.match(parseRule(verdict, value), {
        onSuccess: () => Effect.succeed(value),
        onFailure: (problem) =>
          Effect.fail(new CliError.ValidationError({ message: `--${verdict} ${value}: ${problem}` }))
      })
    ),
    Flag.withMetavar("TOOL[:PATTERN]")
  )

/** What checks changes, and when they are asked about. */
export const checkFlags = {
  check: Flag.String("check").pipe(
    Flag.mapEffect((line) => {
      const words = splitCommand(line)
      if (typeof words !== "string") return Effect.succeed(line)
      return Effect.fail(new CliError.ValidationError({ message: `--check: ${words}` }))
    }),
    Flag.withMetavar("COMMAND"),
    Flag.withDescription(
      'A command that checks changes, in the place of those that the project names: --check "npm test"; repeatable'
    ),
    Flag.atLeast(0)
  ),
  noCheck: switchFlag("no-check", "Run no checks after changes; the end says so"),
  askFirst: switchFlag(
    "ask-first",
    "Ask before each change is made, and check it in the project afterwards, instead of asking once about changes that were checked"
  )
}

/** How checks decide the end. */
export const endFlags = {
  acceptUnverified: switchFlag(
    "accept-unverified",
    "End as done although a check fails with the changes, or one that you named proves nothing; without it such an end is unverified, exit code 1"
  )
}

/** The flags as a configuration. Who names a check has allowed it. */
export const checkConfiguration = ({
  askFirst,
  check,
  noCheck
}: Command.Command.Config.Infer<typeof checkFlags>): Pick<Configuration, "allow" | "askFirst" | "checks"> => ({
  ...(askFirst ? { askFirst } : {}),
  ...(noCheck ? { checks: false } : check.length > 0 ? { checks: check } : {}),
  allow: rulesOfChecks(check)
})

/** `STAGE=NAME`, as a pair. */
const readStageModel = (given: string) => {
  const [stage = "", ...rest] = given.split("=")
  const name = rest.join("=").trim()
  const known = generatingStages.find((one) => one === stage.trim())
  return known === undefined || name === "" || name === "embedded"
    ? Effect.fail(
        new CliError.ValidationError({
          message: `--stage-model ${given}: write STAGE=NAME with a stage of ${generatingStages.join(", ")} and a model of the server.`
        })
      )
    : Effect.succeed([known, { model: name }] as const)
}

const stageModelFlag = Flag.String("stage-model").pipe(
  Flag.mapEffect(readStageModel),
  Flag.withMetavar("STAGE=NAME"),
  Flag.withDescription(
    `A model for one stage (${generatingStages.join(", ")}), of the same server: --stage-model plan=qwen3:32b; repeatable`
  ),
  Flag.atLeast(0)
)

/** Which project, which model, what may happen, how to print. */
export const runFlags = {
  prompt: Argument.String("PROMPT").pipe(
    Argument.withDescription("The prompt, in quotes. Default: read from stdin if it is piped"),
    Argument.optional
  ),
  promptFile: textFlag("prompt-file", "FILE", "Read the prompt from a file: --prompt-file task.md").pipe(Flag.optional),
  model: Flag.String("model").pipe(
    Flag.filter(
      (name) => name !== "",
      () => "the name of a model"
    ),
    Flag.withAlias("m"),
    Flag.withMetavar("NAME"),
    Flag.withDescription(
      'A model of the Ollama server, or openai:NAME: --model qwen3:8b. "embedded" is the built-in demo, which only searches and quotes'
    ),
    Flag.optional
  ),
  stageModel: stageModelFlag,
  project: textFlag("project", "FOLDER", "The project folder: --project ../api").pipe(
    Flag.withAlias("p"),
    Flag.withDefault(".")
  ),
  file: textFlag("file", "FILE", "The file you are working on; the model sees it: --file src/main.ts").pipe(
    Flag.withAlias("f"),
    Flag.optional
  ),
  open: textFlag(
    "open",
    "FILE",
    "A file that is open in your editor; the model sees its path: --open src/a.ts; repeatable"
  ).pipe(Flag.atLeast(0)),
  allow: ruleFlag("allow").pipe(
    Flag.withDescription('Tool calls that run without a question: --allow "read_file:docs/*"; repeatable'),
    Flag.atLeast(0)
  ),
  deny: ruleFlag("deny").pipe(
    Flag.withDescription("Tool calls that are always denied: --deny write_file; repeatable"),
    Flag.atLeast(0)
  ),
  plugin: textFlag("plugin", "NAME", "Also load this package or file of tools: --plugin ./tools.ts; repeatable").pipe(
    Flag.atLeast(0)
  ),
  parallel: wholeNumberFlag("parallel", 1, 64).pipe(
    Flag.withDescription("How many model calls the server processes in parallel: --parallel 2"),
    Flag.optional
  ),
  ...modelFlags
}

/** The parsed values of the shared flags. */
export type RunFlags = Command.Command.Config.Infer<typeof runFlags>

const promptText = Effect.fnUntraced(function* ({ prompt, promptFile }: RunFlags) {
  if (Option.isSome(prompt) && Option.isSome(promptFile)) {
    return yield* usageFailure("The prompt is given twice, as an argument and with --prompt-file. Leave one out.")
  }
  if (Option.isSome(prompt) && prompt.value !== "-") return prompt.value
  if (Option.isSome(promptFile)) return yield* readPromptFile(promptFile.value)
  const { hasPipedInput } = yield* Output
  if (Option.isSome(prompt) || hasPipedInput) return yield* readPromptStdin
  return yield* usageFailure('There is no prompt. Give it in quotes: task-conductor run "What does this project do?"')
})

/** The prompt from wherever it was given; fails when there is none, two, or an empty one. */
export const readPrompt = Effect.fn("readPrompt")(function* (flags: RunFlags) {
  const text = yield* promptText(flags)
  if (text.trim() === "") return yield* usageFailure("The prompt is empty. Say what should be done.")
  return text
})

/** The files of the person that an order names. */
export const orderFiles = ({
  file,
  open
}: Pick<RunFlags, "file" | "open">): Pick<RunOrder, "currentFile" | "openFiles"> => ({
  ...present({ currentFile: file }),
  ...(open.length === 0 ? {} : { openFiles: open })
})

/** The models of stages as a configuration. */
export const stagesOf = ({ stageModel = [] }: Partial<Pick<RunFlags, "stageModel">>): Pick<Configuration, "stages"> =>
  stageModel.length === 0 ? {} : { stages: Object.fromEntries(stageModel) }

/** The flags as a configuration. */
export const flagConfiguration = (
  flags: Pick<RunFlags, "allow" | "deny" | "model" | "parallel" | "plugin"> &
    Partial<Pick<RunFlags, "stageModel">> &
    ModelFlags
): Configuration => ({
  allow: flags.allow,
  deny: flags.deny,
  plugins: flags.plugin,
  ...modelConfiguration(flags),
  ...present({ model: flags.model, parallel: flags.parallel }),
  ...stagesOf(flags)
})

/** Everything about the answers of the model that were not right. */
export const verboseFlag = switchFlag(
  "verbose",
  "Also show everything that was fixed in an answer of the model, and what the model is asked to fix"
)

/** Lines only. */
export const plainFlag = switchFlag(
  "plain",
  "Print lines only on a terminal too: draw nothing again, and leave answers as they are written"
)

/** The answer only. */
const quietFlag = switchFlag("quiet", "Print only the answer, and errors on stderr").pipe(Flag.withAlias("q"))

/** What is approved beforehand. */
export const approvalFlags = {
  yes: switchFlag(
    "yes",
    "Approve what this run asks, reads and writes alike. Secrets, files outside the project and plugins are still asked about; deny rules still apply"
  ).pipe(Flag.withAlias("y")),
  yesThisRun: switchFlag(
    "yes-this-run",
    "Like --yes, for steps and reads of project files only: other single calls, such as commands, are still asked about"
  )
}

/** What `run`, `resume` and `fork` share: limits, approvals and output. */
export const outcomeFlags = {
  maxRounds: wholeNumberFlag("max-rounds", 1, 1000).pipe(
    Flag.withDescription("Maximum number of rounds (tasks, then iteration): --max-rounds 3"),
    Flag.optional
  ),
  ...approvalFlags,
  json: switchFlag("json", "Print events as JSON Lines on stdout instead of the answer"),
  plain: plainFlag,
  verbose: verboseFlag
}

/** Where the project of a saved run is now. */
export const movedFlag = textFlag(
  "project",
  "FOLDER",
  "Where the project is now, if it was moved: --project ../api"
).pipe(Flag.withAlias("p"), Flag.optional)

/** The flags of commands that continue a saved run. */
export const savedRunFlags = {
  run: runArgument,
  project: movedFlag,
  model: runFlags.model,
  stageModel: runFlags.stageModel,
  allow: runFlags.allow,
  deny: runFlags.deny,
  parallel: runFlags.parallel,
  plugin: runFlags.plugin,
  ...modelFlags,
  ...outcomeFlags,
  quiet: quietFlag
}

/** The settings of a run that flags of these commands set. */
export const runConfiguration = (
  flags: Parameters<typeof flagConfiguration>[0] & { readonly maxRounds: Option.Option<number> }
): Configuration => ({ ...flagConfiguration(flags), limits: present({ rounds: flags.maxRounds }) })

export const attachFlag = {
  attach: textFlag(
    "attach",
    "FILE",
    "Attach a file to the prompt as material; - is stdin, to its end. Default: what comes on stdin, if the prompt is given"
  ).pipe(Flag.optional)
}

export const answerFlags = {
  ...attachFlag,
  outputSchema: textFlag(
    "output-schema",
    "FILE",
    "Answer with JSON that fits the JSON schema in this file: --output-schema answer.schema.json"
  ).pipe(Flag.optional),
  quiet: quietFlag
}

/** The parsed values. */
export type AnswerFlags = Omit<Command.Command.Config.Infer<typeof answerFlags>, "quiet">

/** True when the prompt is taken from stdin, so that nothing of it is left to attach. */
const takesStdin = ({ prompt, promptFile }: PromptPlace, hasOther: boolean): boolean =>
  Option.contains(prompt, "-") ||
  Option.contains(promptFile, "-") ||
  (Option.isNone(prompt) && Option.isNone(promptFile) && !hasOther)

/** Where the prompt comes from. */
type PromptPlace = Pick<RunFlags, "prompt" | "promptFile">

const nothing: { readonly attachment?: Attachment } = {}

/**
 * What is attached to the prompt; `hasOther` says that the prompt comes from elsewhere, such as a plan. Without the flag it
 * is what comes on stdin, if anything comes soon: a stdin that stays open and silent must not hold a run.
 */
export const readAttachment = Effect.fn("readAttachment")(function* (
  given: Pick<AnswerFlags, "attach"> & PromptPlace,
  hasOther = false
) {
  const { emit, hasPipedInput } = yield* Output
  if (Option.isSome(given.attach)) {
    const file = given.attach.value
    if (file !== "-") return { attachment: yield* readAttached(file) }
    if (takesStdin(given, hasOther)) {
      return yield* usageFailure("--attach - and the prompt both come from stdin. Give the prompt in quotes.")
    }
    return { attachment: yield* readAttached("-") }
  }
  if (!hasPipedInput || takesStdin(given, hasOther)) return nothing
  const found = yield* readWaitingStdin
  if (found === "silent") {
    yield* emit("note: nothing came on stdin so far, so nothing is attached. --attach - waits for its end.")
    return nothing
  }
  if (found.text.trim() === "") return nothing
  if (found.isCut === true) {
    yield* emit(`note: stdin is longer than ${attachedBytes} bytes; only its beginning is attached.`)
  }
  return { attachment: found }
})

const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** The JSON schema for the answer, checked. */
export const readOutputSchema = Effect.fn("readOutputSchema")(function* ({
  outputSchema
}: Pick<AnswerFlags, "outputSchema">) {
  if (Option.isNone(outputSchema)) return {}
  const file = outputSchema.value
  const json = readJson(yield* readInput(file))
  if (Option.isNone(json)) return yield* usageFailure(`--output-schema ${file}: the file is not JSON.`)
  const schema = answerSchema(json.value)
  if (Result.isFailure(schema)) {
    return yield* usageFailure(`--output-schema ${file}: the JSON schema cannot be used: ${schema.failure}.`)
  }
  return { outputSchema: json.value }
})
