/**
 * The flags that `run` and other commands share, and the prompt and configuration made from them.
 */
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import { switchFlag } from "../terminal/Flags.ts"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { type Verdict, parseRule } from "../../domain/permissions/Permission.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { readInput, readStdin } from "../terminal/Input.ts"
import { Output } from "../terminal/Output.ts"
import { modelConfiguration, type ModelFlags, modelFlags, wholeNumberFlag } from "./modelFlags.ts"

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

/** Which project, which model, what may happen, how to print. */
export const runFlags = {
  prompt: Argument.String("PROMPT").pipe(
    Argument.withDescription("The prompt, in quotes. Default: read from stdin if it is piped"),
    Argument.optional
  ),
  promptFile: Flag.String("prompt-file").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Read the prompt from a file: --prompt-file task.md"),
    Flag.optional
  ),
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
  project: Flag.String("project").pipe(
    Flag.withAlias("p"),
    Flag.withMetavar("FOLDER"),
    Flag.withDescription("The project folder: --project ../api"),
    Flag.withDefault(".")
  ),
  file: Flag.String("file").pipe(
    Flag.withAlias("f"),
    Flag.withMetavar("FILE"),
    Flag.withDescription("The file you are working on; the model sees it: --file src/main.ts"),
    Flag.optional
  ),
  open: Flag.String("open").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("A file that is open in your editor; the model sees its path: --open src/a.ts; repeatable"),
    Flag.atLeast(0)
  ),
  allow: ruleFlag("allow").pipe(
    Flag.withDescription('Tool calls that run without a question: --allow "read_file:docs/*"; repeatable'),
    Flag.atLeast(0)
  ),
  deny: ruleFlag("deny").pipe(
    Flag.withDescription("Tool calls that are always denied: --deny write_file; repeatable"),
    Flag.atLeast(0)
  ),
  plugin: Flag.String("plugin").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Also load this package or file of tools: --plugin ./tools.ts; repeatable"),
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
  if (Option.isSome(promptFile)) return yield* readInput(promptFile.value)
  const { hasPipedInput } = yield* Output
  if (Option.isSome(prompt) || hasPipedInput) return yield* readStdin()
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
  ...(Option.isSome(file) ? { currentFile: file.value } : {}),
  ...(open.length === 0 ? {} : { openFiles: open })
})

/** The flags as a configuration. */
export const flagConfiguration = (
  flags: Pick<RunFlags, "allow" | "deny" | "model" | "parallel" | "plugin"> & ModelFlags
): Configuration => ({
  allow: flags.allow,
  deny: flags.deny,
  plugins: flags.plugin,
  ...modelConfiguration(flags),
  ...(Option.isSome(flags.model) ? { model: flags.model.value } : {}),
  ...(Option.isSome(flags.parallel) ? { parallel: flags.parallel.value } : {})
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
export const quietFlag = switchFlag("quiet", "Print only the answer, and errors on stderr").pipe(Flag.withAlias("q"))

/** What is approved beforehand. */
export const approvalFlags = {
  yes: switchFlag(
    "yes",
    "Approve what this run asks, reads and writes alike. Secrets, files outside the project and plugins are still asked about; deny rules still apply"
  ).pipe(Flag.withAlias("y")),
  yesThisRun: switchFlag(
    "yes-this-run",
    "Like --yes, for steps only: single calls, such as reads, are still asked about"
  )
}

/** What was approved beforehand: with `--yes` steps and calls, with `--yes-this-run` steps only. */
export const approvedBeforehand = (given: {
  readonly yes: boolean
  readonly yesThisRun: boolean
}): { readonly approveSteps: boolean; readonly yes: boolean } => ({ approveSteps: given.yesThisRun, yes: given.yes })

/** What `run`, `resume` and `fork` share: limits, approvals and output. */
export const outcomeFlags = {
  maxRounds: wholeNumberFlag("max-rounds", 1, 1000).pipe(
    Flag.withDescription("Maximum number of rounds (refine, run, iterate): --max-rounds 3"),
    Flag.optional
  ),
  ...approvalFlags,
  json: switchFlag("json", "Print events as JSON Lines on stdout instead of the answer"),
  plain: plainFlag,
  verbose: verboseFlag
}

/** The flags of commands that continue a saved run. */
export const savedRunFlags = {
  run: Argument.String("RUN").pipe(
    Argument.withDescription('The id of the run, the beginning of an id, or "last"; see "task-conductor runs"')
  ),
  project: Flag.String("project").pipe(
    Flag.withAlias("p"),
    Flag.withMetavar("FOLDER"),
    Flag.withDescription("Where the project is now, if it was moved: --project ../api"),
    Flag.optional
  ),
  model: runFlags.model,
  allow: runFlags.allow,
  deny: runFlags.deny,
  parallel: runFlags.parallel,
  plugin: runFlags.plugin,
  ...modelFlags,
  ...outcomeFlags,
  quiet: quietFlag
}

/** The limits that flags set. */
export const limitConfiguration = ({
  maxRounds
}: {
  readonly maxRounds: Option.Option<number>
}): Pick<Configuration, "limits"> => ({
  limits: Option.match(maxRounds, { onNone: () => ({}), onSome: (rounds) => ({ rounds }) })
})

/** Where the project is now, if the flag says so. */
export const movedTo = ({ project }: { readonly project: Option.Option<string> }): { readonly project?: string } =>
  Option.match(project, { onNone: () => ({}), onSome: (folder) => ({ project: folder }) })
