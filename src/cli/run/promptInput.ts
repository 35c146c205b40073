/** Reads the user's input for a command: the prompt, attachments, and the schema of the answer. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { answerSchema } from "../../domain/documents/AnswerFormat.ts"
import type { Attachment } from "../../domain/models/Briefing.ts"
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
import type { AnswerFlags, RunFlags } from "./runFlags.ts"

/** The prompt as an argument or in a file. */
type PromptPlace = Pick<RunFlags, "prompt" | "promptFile">

const promptText = Effect.fnUntraced(function* ({ prompt, promptFile }: PromptPlace) {
  if (Option.isSome(prompt) && Option.isSome(promptFile)) {
    return yield* usageFailure("The prompt is given twice, as an argument and with --prompt-file. Leave one out.")
  }
  if (Option.isSome(prompt) && prompt.value !== "-") return prompt.value
  if (Option.isSome(promptFile)) return yield* readPromptFile(promptFile.value)
  const { hasPipedInput } = yield* Output
  if (Option.isSome(prompt) || hasPipedInput) return yield* readPromptStdin
  return yield* usageFailure('There is no prompt. Give it in quotes: task-conductor run "What does this project do?"')
})

/** Reads the prompt. Fails if the prompt is missing, empty or given twice. */
export const readPrompt = Effect.fn("readPrompt")(function* (flags: PromptPlace) {
  const text = yield* promptText(flags)
  if (text.trim() === "") return yield* usageFailure("The prompt is empty. Say what should be done.")
  return text
})

/** True if the prompt comes from stdin, which then cannot be an attachment. */
const takesStdin = ({ prompt, promptFile }: PromptPlace, hasOther: boolean): boolean =>
  Option.contains(prompt, "-") ||
  Option.contains(promptFile, "-") ||
  (Option.isNone(prompt) && Option.isNone(promptFile) && !hasOther)

const nothing: { readonly attachment?: Attachment } = {}

/**
 * Reads the attachment. `hasOther` is true if a file, such as a plan, replaces the prompt. Without `--attach`, stdin is
 * read only if data arrives soon, because an open stdin without data must not block a run.
 */
export const readAttachment = Effect.fn("readAttachment")(function* (
  flags: Pick<AnswerFlags, "attach"> & PromptPlace,
  hasOther = false
) {
  const { emit, hasPipedInput } = yield* Output
  if (Option.isSome(flags.attach)) {
    const file = flags.attach.value
    if (file !== "-") return { attachment: yield* readAttached(file) }
    if (takesStdin(flags, hasOther)) {
      return yield* usageFailure("--attach - and the prompt both come from stdin. Give the prompt in quotes.")
    }
    return { attachment: yield* readAttached("-") }
  }
  if (!hasPipedInput || takesStdin(flags, hasOther)) return nothing
  const stdin = yield* readWaitingStdin
  if (stdin === "silent") {
    yield* emit("note: nothing came on stdin so far, so nothing is attached. --attach - waits for its end.")
    return nothing
  }
  if (stdin.text.trim() === "") return nothing
  if (stdin.isCut === true) {
    yield* emit(`note: stdin is longer than ${attachedBytes} bytes; only its beginning is attached.`)
  }
  return { attachment: stdin }
})

const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** Reads the JSON schema of the answer, and checks that it is usable. */
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
