/**
 * Notes what the model is shown in a run and what the person says, so that a URL that was made from it is asked about.
 */
import * as Effect from "effect/Effect"
import { withoutLinks } from "../../domain/permissions/SeenTexts.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import { type ConversationMessage, messageText } from "../../domain/models/ConversationMessage.ts"
import type { PolicyEvaluator } from "./PolicyEvaluator.ts"

/**
 * Where a text is from that the model is shown: a command; a page; a tool that is not of this project; what was looked up in the project;
 * or one file. A link may be followed as it stands, except one that a command may have made.
 */
export type ReadSource = "command" | "page" | "outside" | "project" | { readonly file: string }

export const makeReadNotes = ({
  isUnchanged,
  isUntouched,
  seen
}: Pick<PolicyEvaluator, "isUnchanged" | "isUntouched" | "seen">) => {
  let hasRunCommand = false

  /** True for what was there when the run began, so that no command has put data into its links. */
  const isOfBefore = Effect.fnUntraced(function* (source: ReadSource) {
    if (source === "command") return false
    if (source === "page" || source === "outside") return true
    const copy = yield* CurrentCopy
    if (source === "project") return !hasRunCommand && isUntouched() && (copy?.files() ?? []).length === 0
    return copy?.get(source.file) === undefined && (yield* isUnchanged(source.file))
  })

  return {
    noteRead: Effect.fnUntraced(function* (text: string, source: ReadSource) {
      if (source === "command") hasRunCommand = true
      const hasLinks = yield* isOfBefore(source)
      if (hasLinks) seen.addLinks(text)
      if (source !== "page") seen.add(hasLinks ? withoutLinks(text) : text)
    }),
    noteSaid: (text: string) => Effect.sync(() => seen.addSaid(text))
  }
}

/** Notes what was said and shown in a conversation that goes on. */
export const noteMessages = (
  { noteRead, noteSaid }: ReturnType<typeof makeReadNotes>,
  messages: ReadonlyArray<ConversationMessage>
) =>
  Effect.forEach(messages, (one) => {
    if (one.role === "assistant") return Effect.void
    if (one.role === "user" && one.said !== undefined) return noteSaid(one.said)
    return noteRead(messageText(one), one.role === "tool" && one.name === "fetch_url" ? "page" : "command")
  })
