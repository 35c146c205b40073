/**
 * Remembers what the model read in a run, and what the user said. If a URL repeats a text that the model read, the gate
 * asks about it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SeenTexts, withoutLinks } from "../../domain/models/SeenTexts.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import type { GateQuestion } from "./GateQuestion.ts"
import { changedAt } from "./Policy.ts"
import { RunAnswers } from "./RunAnswers.ts"

/**
 * The source of a text that the model reads. `outside` means a tool of a plugin or server. `project` means a search in
 * the project. The model may open an unchanged link of the text, unless a command may have written the text.
 */
export type ReadSource = "command" | "page" | "outside" | "project" | { readonly file: string }

/** `since` is when the run began, in milliseconds since 1970. */
const makeReadTexts = Effect.fnUntraced(function* (since: number) {
  const { grants } = yield* RunAnswers
  const seen = new SeenTexts()
  let hasRunCommand = false

  /**
   * True if a text from this source is older than the run or comes from outside the project. In both cases, no command
   * of the run can have put project data into the URLs of the text.
   */
  const isOfBefore = Effect.fnUntraced(function* (source: ReadSource) {
    if (source === "command") return false
    if (source === "page" || source === "outside") return true
    const copy = yield* CurrentCopy
    if (source === "project") return !hasRunCommand && grants.written.size + (copy?.files() ?? []).length === 0
    return copy?.get(source.file) === undefined && (yield* changedAt(source.file, grants)) <= since
  })

  return {
    /** Records that the model read this text. */
    noteRead: Effect.fnUntraced(function* (text: string, source: ReadSource) {
      if (source === "command") hasRunCommand = true
      const hasLinks = yield* isOfBefore(source)
      if (hasLinks) seen.addLinks(text)
      if (source !== "page") seen.add(hasLinks ? withoutLinks(text) : text)
    }),
    /** Records what the user said. A URL may contain the words and links of this text. */
    noteSaid: (text: string) => Effect.sync(() => seen.addUserText(text)),
    /** The part of a URL that repeats a text that the model read; undefined if there is none. */
    carriedBy: (url: string): string | undefined => seen.carriedBy(url)
  }
})

export class ReadTexts extends Context.Service<ReadTexts>()("task-conductor/services/permissions/ReadTexts", {
  make: makeReadTexts
}) {
  static readonly layer = (since: number) => Layer.effect(this, this.make(since))
}

/**
 * If the URL of an access repeats text that the model has read, adds the repeated text to the access. The rules and the
 * user need to know this text.
 */
export const withCarriedTexts =
  ({ carriedBy }: ReadTexts["Service"]) =>
  (question: GateQuestion): GateQuestion => {
    const accesses = question.accesses.map((access) => {
      const carries = access._tag === "FetchUrl" ? carriedBy(access.url) : undefined
      return carries === undefined ? access : { ...access, carries }
    })
    return { ...question, accesses }
  }
