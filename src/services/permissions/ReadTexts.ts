/** What the model was shown in a run and what the user has said, so that a URL that was made from it is asked about. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SeenTexts, withoutLinks } from "../../domain/models/SeenTexts.ts"
import { CurrentCopy } from "../files/WorkingCopy.ts"
import type { GateQuestion } from "./GateQuestion.ts"
import { changedAt } from "./Policy.ts"
import { RunAnswers } from "./RunAnswers.ts"

/**
 * Where a text is from that the model is shown: a command; a page; a tool that is not of this project; what was looked up in the project;
 * or one file. A link may be followed as it stands, except one that a command may have made.
 */
export type ReadSource = "command" | "page" | "outside" | "project" | { readonly file: string }

/** `since` is when the run began, in milliseconds. */
const makeReadTexts = Effect.fnUntraced(function* (since: number) {
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

  return {
    /** The model is shown this. */
    noteRead: Effect.fnUntraced(function* (text: string, source: ReadSource) {
      if (source === "command") hasRunCommand = true
      const hasLinks = yield* isOfBefore(source)
      if (hasLinks) seen.addLinks(text)
      if (source !== "page") seen.add(hasLinks ? withoutLinks(text) : text)
    }),
    /** The user has said this: its words and links may stand in a URL. */
    noteSaid: (text: string) => Effect.sync(() => seen.addSaid(text)),
    /** What a URL holds of what was read; nothing for an ordinary one. */
    carriedBy: (url: string): string | undefined => seen.carriedBy(url)
  }
})

export class ReadTexts extends Context.Service<ReadTexts>()("task-conductor/services/permissions/ReadTexts", {
  make: makeReadTexts
}) {
  static readonly layer = (since: number) => Layer.effect(this, this.make(since))
}

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
