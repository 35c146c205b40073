/**
 * The flags about what goes in beside the prompt and what comes out: attached input, the form of the answer, and how much is
 * said.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { answerSchema } from "../../domain/documents/AnswerFormat.ts"
import type { Attachment } from "../../domain/models/Briefing.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { attachedBytes, readAttached, readInput, readWaitingStdin } from "../terminal/Input.ts"
import { quietFlag, type RunFlags } from "./runFlags.ts"
import { Output } from "../terminal/Output.ts"

export const attachFlag = {
  attach: Flag.String("attach").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription(
      "Attach a file to the prompt as material; - is stdin, to its end. Default: what comes on stdin, if the prompt is given"
    ),
    Flag.optional
  )
}

export const answerFlags = {
  ...attachFlag,
  outputSchema: Flag.String("output-schema").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("Answer with JSON that fits the JSON schema in this file: --output-schema answer.schema.json"),
    Flag.optional
  ),
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
 * What is attached to the prompt; `hasOther` tells that the prompt comes from elsewhere, such as a plan. Without the flag it
 * is what comes on stdin, if anything comes soon: a stdin that stays open and silent must not hold a run.
 */
export const readAttachment = Effect.fn("readAttachment")(function* (
  given: Pick<AnswerFlags, "attach"> & PromptPlace,
  hasOther = false
) {
  const { hasPipedInput, tell } = yield* Output
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
    yield* tell("note: nothing came on stdin so far, so nothing is attached. --attach - waits for its end.")
    return nothing
  }
  if (found.text.trim() === "") return nothing
  if (found.isCut === true) {
    yield* tell(`note: stdin is longer than ${attachedBytes} bytes; only its beginning is attached.`)
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
