/** The flags that `run` shares with other commands. Makes an order and a configuration from these flags. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { splitCommand } from "../../domain/commands/CommandSplit.ts"
import { rulesOfChecks } from "../../domain/configuration/CheckLine.ts"
import { type Configuration, keepAlivePattern } from "../../domain/configuration/Configuration.ts"
import { generatingStages, type Think } from "../../domain/models/Generation.ts"
import { present, runArgument, switchFlag, textFlag, wholeNumberFlag } from "../terminal/Flags.ts"
import { type Verdict, parseRule } from "../../domain/permissions/Permission.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"

const levels = ["off", "on", "low", "medium", "high"] as const

export const modelFlags = {
  contextWindow: wholeNumberFlag(
    "context-window",
    [1, 10_000_000],
    "The size of the context window in tokens: --context-window 16384. Default: that of the Modelfile or of the loaded model, else 8192"
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
      () => 'a time such as "30m" or "2h"; -1s means for ever'
    ),
    Flag.withMetavar("TIME"),
    Flag.withDescription(
      "How long an Ollama server keeps the model loaded after a call: --keep-alive 2h; -1s means for ever. Default: 30m"
    ),
    Flag.optional
  ),
  temperature: Flag.Finite("temperature").pipe(
    Flag.filter(
      (number) => number >= 0 && number <= 2,
      () => "a number between 0 and 2"
    ),
    Flag.withMetavar("N"),
    Flag.withDescription("Sampling temperature, from 0 to 2: --temperature 0.2"),
    Flag.optional
  ),
  seed: wholeNumberFlag("seed", [0, 2_147_483_647], "Sampling seed: --seed 1")
}

export type ModelFlags = Command.Command.Config.Infer<typeof modelFlags>

const thinkOf = (level: (typeof levels)[number]): Think => (level === "off" ? false : level === "on" ? true : level)

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

/** A flag that may be repeated. `parse` returns the value, or a sentence about what is wrong. */
const repeatedFlag = <A>(
  name: string,
  what: string,
  description: string,
  parse: (text: string) => Result.Result<A, string>
) =>
  Flag.String(name).pipe(
    Flag.mapEffect((text) =>
      Effect.mapError(
        Effect.fromResult(parse(text)),
        (problem) => new CliError.ValidationError({ message: `--${name} ${text}: ${problem}` })
      )
    ),
    Flag.withMetavar(what),
    Flag.withDescription(`${description}; repeatable`),
    Flag.atLeast(0)
  )

const ruleFlag = (verdict: Verdict & string, description: string) =>
  repeatedFlag(verdict, "TOOL[:PATTERN]", description, (text) => Result.map(parseRule(verdict, text), () => text))

export const checkFlags = {
  check: repeatedFlag(
    "check",
    "COMMAND",
    'A command that checks changes, instead of those of the project: --check "npm test"',
    (line) => {
      const words = splitCommand(line)
      return typeof words === "string" ? Result.fail(words) : Result.succeed(line)
    }
  ),
  noCheck: switchFlag("no-check", "Run no checks after changes; the summary says so"),
  askFirst: switchFlag(
    "ask-first",
    "Ask before each change, and run the checks afterwards. Default: the checks run first, then you are asked once"
  )
}

export const endFlags = {
  acceptUnverified: switchFlag(
    "accept-unverified",
    "End as done even if a check fails with the changes, or a check that you named proves nothing. Default: such a run ends as unverified, exit code 1"
  )
}

/** The configuration from the flags about checks. If a flag names a check, this check may run without a question. */
export const checkConfiguration = ({
  askFirst,
  check,
  noCheck
}: Command.Command.Config.Infer<typeof checkFlags>): Pick<Configuration, "allow" | "askFirst" | "checks"> => ({
  ...(askFirst ? { askFirst } : {}),
  ...(noCheck ? { checks: false } : check.length > 0 ? { checks: check } : {}),
  allow: rulesOfChecks(check)
})

const stageNames = generatingStages.join(", ")

/** Parses `STAGE=NAME`. */
const readStageModel = (text: string) => {
  const [written = "", ...rest] = text.split("=")
  const model = rest.join("=").trim()
  const stage = generatingStages.find((one) => one === written.trim())
  return stage === undefined || model === "" || model === "embedded"
    ? Result.fail(`write STAGE=NAME with a stage of ${stageNames} and a model of the server.`)
    : Result.succeed([stage, { model }] as const)
}

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
  stageModel: repeatedFlag(
    "stage-model",
    "STAGE=NAME",
    `A model for one stage (${stageNames}), of the same server: --stage-model plan=qwen3:32b`,
    readStageModel
  ),
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
  allow: ruleFlag("allow", 'Tool calls that run without a question: --allow "read_file:docs/*"'),
  deny: ruleFlag("deny", "Tool calls that are always denied: --deny write_file"),
  plugin: textFlag("plugin", "NAME", "Also load this package or file of tools: --plugin ./tools.ts; repeatable").pipe(
    Flag.atLeast(0)
  ),
  parallel: wholeNumberFlag("parallel", [1, 64], "How many model calls the server processes in parallel: --parallel 2"),
  ...modelFlags
}

export type RunFlags = Command.Command.Config.Infer<typeof runFlags>

export const orderFiles = ({
  file,
  open
}: Pick<RunFlags, "file" | "open">): Pick<RunOrder, "currentFile" | "openFiles"> => ({
  ...present({ currentFile: file }),
  ...(open.length === 0 ? {} : { openFiles: open })
})

export const stagesOf = ({ stageModel = [] }: Partial<Pick<RunFlags, "stageModel">>): Pick<Configuration, "stages"> =>
  stageModel.length === 0 ? {} : { stages: Object.fromEntries(stageModel) }

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

export const verboseFlag = switchFlag(
  "verbose",
  "Also show what task-conductor fixed in each answer, and what it asks the model to fix"
)

export const plainFlag = switchFlag(
  "plain",
  "Print plain lines on a terminal too: redraw nothing, and print answers as markdown"
)

const quietFlag = switchFlag("quiet", "Print only the answer, and errors on stderr").pipe(Flag.withAlias("q"))

export const approvalFlags = {
  yes: switchFlag(
    "yes",
    "Approve what this run asks, reads and writes alike. task-conductor still asks about secrets, files outside the project and plugins; deny rules still apply"
  ).pipe(Flag.withAlias("y")),
  yesThisRun: switchFlag(
    "yes-this-run",
    "Like --yes, for steps and reads of project files only. task-conductor still asks about other single calls, such as commands"
  )
}

/** Flags of `run`, `resume` and `fork`: limits, approvals, output. */
export const outcomeFlags = {
  maxRounds: wholeNumberFlag(
    "max-rounds",
    [1, 1000],
    "Maximum number of rounds (tasks, then iteration): --max-rounds 3"
  ),
  ...approvalFlags,
  json: switchFlag("json", "Print events as JSON Lines on stdout instead of the answer"),
  plain: plainFlag,
  verbose: verboseFlag
}

export const movedFlag = textFlag(
  "project",
  "FOLDER",
  "Where the project is now, if it was moved: --project ../api"
).pipe(Flag.withAlias("p"), Flag.optional)

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

export const runConfiguration = (
  flags: Parameters<typeof flagConfiguration>[0] & { readonly maxRounds: Option.Option<number> }
): Configuration => ({ ...flagConfiguration(flags), limits: present({ rounds: flags.maxRounds }) })

export const attachFlag = {
  attach: textFlag(
    "attach",
    "FILE",
    "Attach a file to the prompt; - reads stdin to its end. Default: stdin, if it is piped and the prompt is given"
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

export type AnswerFlags = Omit<Command.Command.Config.Infer<typeof answerFlags>, "quiet">
