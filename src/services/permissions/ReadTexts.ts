/**
 * What the model was shown in a run and what the user has said, so that a URL that was made from it is asked about.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { type ConversationMessage, messageText } from "../../domain/models/ConversationMessage.ts"
import { SeenTexts, withoutLinks } from "../../domain/permissions/SeenTexts.ts"
import { builtInOrigin, type ToolCall, type ToolInfo, type ToolResult } from "../../domain/tools/ToolCall.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import type { GateQuestion } from "./GateQuestion.ts"
import { changedAt } from "./Policy.ts"
import { RunAnswers } from "./RunAnswers.ts"

/**
 * Where a text is from that the model is shown: a command; a page; a tool that is not of this project; what was looked up in the project;
 * or one file. A link may be followed as it stands, except one that a command may have made.
 */
export type ReadSource = "command" | "page" | "outside" | "project" | { readonly file: string }

export class ReadTexts extends Context.Service<
  ReadTexts,
  {
    /** The model is shown this. */
    noteRead(text: string, source: ReadSource): Effect.Effect<void>
    /** The user has said this: its words and links may stand in a URL. */
    noteSaid(text: string): Effect.Effect<void>
    /** What a URL holds of what was read; nothing for an ordinary one. */
    readonly carriedBy: (url: string) => string | undefined
  }
>()("task-conductor/services/permissions/ReadTexts") {
  /** `since` is when the run began, in milliseconds. */
  static readonly layer = (since: number) =>
    Layer.effect(
      ReadTexts,
      Effect.gen(function* () {
        const { grants } = yield* RunAnswers
        const seen = new SeenTexts()
        let hasRunCommand = false

        /** True for what was there when the run began, so that no command has put data into its links. */
        const isOfBefore = Effect.fnUntraced(function* (source: ReadSource) {
          if (source === "command") return false
          if (source === "page" || source === "outside") return true
          const copy = yield* CurrentCopy
          if (source === "project") return !hasRunCommand && grants.written.size + (copy?.files() ?? []).length === 0
          return copy?.get(source.file) === undefined && (yield* changedAt(source.file, grants)) <= since
        })

        return ReadTexts.of({
          noteRead: Effect.fnUntraced(function* (text, source) {
            if (source === "command") hasRunCommand = true
            const hasLinks = yield* isOfBefore(source)
            if (hasLinks) seen.addLinks(text)
            if (source !== "page") seen.add(hasLinks ? withoutLinks(text) : text)
          }),
          noteSaid: (text) => Effect.sync(() => seen.addSaid(text)),
          carriedBy: (url) => seen.carriedBy(url)
        })
      })
    )
}

/** The strings of a value, also those that it holds. */
const stringsIn = (value: Schema.Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [String(value)]
}

/** Makes the function that notes what the model is shown of a call; `info` is absent for a tool that does not exist. */
export const makeResultNotes = Effect.gen(function* () {
  const { noteRead } = yield* ReadTexts
  const workspace = yield* Workspace

  /** Where the result of a call is from. A tool of high risk may run commands. */
  const sourceOf = Effect.fnUntraced(function* (
    { arguments: { path }, name }: ToolCall,
    info: ToolInfo | undefined
  ): Effect.fn.Return<ReadSource> {
    if (name === "fetch_url") return "page"
    const isForeign = info?.origin !== builtInOrigin
    if (info === undefined || name === "run_command" || (isForeign && info.risk === "high")) return "command"
    if (isForeign) return "outside"
    if (name !== "read_file" || typeof path !== "string") return "project"
    const place = yield* Effect.option(Effect.flatMap(workspace.meant(path), workspace.canonical))
    return Option.match(place, { onNone: () => "project" as const, onSome: ({ path: file }) => ({ file }) })
  })

  return Effect.fnUntraced(function* (call: ToolCall, info: ToolInfo | undefined, result: ToolResult) {
    const text = [...stringsIn(result.data), result.error_message ?? ""].join("\n")
    yield* noteRead(text, yield* sourceOf(call, info))
  })
})

/** The question with what its URLs hold of what was read, which rules and the user have to know. */
export const withCarriedTexts =
  ({ carriedBy }: ReadTexts["Service"]) =>
  (question: GateQuestion): GateQuestion => {
    const accesses = question.accesses.map((access) => {
      const carries = access._tag === "FetchUrl" ? carriedBy(access.url) : undefined
      return carries === undefined ? access : { ...access, carries }
    })
    return { ...question, accesses }
  }

/** Notes what was said and shown in a conversation that goes on. */
export const noteMessages = (
  { noteRead, noteSaid }: ReadTexts["Service"],
  messages: ReadonlyArray<ConversationMessage>
) =>
  Effect.forEach(messages, (message) => {
    if (message.role === "assistant") return Effect.void
    if (message.role === "user" && message.said !== undefined) return noteSaid(message.said)
    return noteRead(messageText(message), message.role === "tool" && message.name === "fetch_url" ? "page" : "command")
  })
