/**
 * Adapts requests to what a server accepts: servers with the same API know different fields, and templates of models
 * know different roles. A retry omits each part that the server refuses by name. If the retry succeeds, later requests
 * to the model omit the part, too.
 */
import { refusesRequest } from "./ModelErrors.ts"
import type { ServerFailure } from "./ServerFailure.ts"

/** The message for the user about the omitted part. */
export interface RequestNotice {
  readonly level: "info" | "warning"
  readonly text: string
}

/**
 * Fields that are never omitted, because the request would then mean something else. If a server refuses a setting for
 * thoughts, other code handles this.
 */
const needed: ReadonlySet<string> = new Set(["model", "messages", "tools", "think", "reasoning_effort"])

/** Old names of fields, each with the name that newer servers use. */
const newNames: Readonly<Record<string, string>> = { max_tokens: "max_completion_tokens" }

/** Fields without effect on the answer. */
const harmless: ReadonlySet<string> = new Set([
  "stream",
  "stream_options",
  "max_tokens",
  "keep_alive",
  "truncate",
  "shift"
])

/** The name of the system role in the list of refused parts. */
const systemRole = "system role"

const refusing =
  /not (?:be |been |currently )?(?:supported|permitted|allowed|recogni[sz]ed|accepted|implemented|available|enabled|valid)|unsupported|unrecogni[sz]ed|unknown|unexpected|\bextra\b|forbidden|does(?: not|n't) (?:support|accept|allow)|invalid|additional propert|no such|cannot|can't|only supports?|literal_error|not found in|not a (?:valid|known)|deprecated|removed/i

/** Words before a list of values or fields that the server accepts. */
const listing =
  /\bexpected\b|\b(?:allowed|supported|valid|known|permitted|accepted)\s+(?:values?|parameters?|params|fields?|arguments?|keys?|properties|options?|ones?|are)\b|\bone of\b|\buse\s+['"`]/i

/** How servers and templates refuse a separate role for instructions. */
const refusesSystem =
  /\bsystem\b[^.\n]{0,40}\b(?:role|message|prompt|instruction)|\brole[^.\n]{0,80}\bsystem\b|\broles? (?:must|should) alternate|\bonly (?:the )?user,? (?:and )?assistant|\b(?:system|developer) instruction|messages?\W{1,4}0\W{1,4}role|\b(?:unknown|unsupported|invalid|unexpected) (?:message )?role/i

/** The maximum number of characters between the words of refusal and the name of the field. */
const near = 80

/** True if the text refuses the field with this name. The text may write blanks or nothing in place of underscores. */
const refusesField = (text: string, name: string): boolean => {
  const written = name === "stream" ? String.raw`stream(?:ing)?(?!\s+options)` : name.replaceAll("_", "[_ ]?")
  const names = new RegExp(String.raw`(?<![\w-])${written}(?![\w-])`, "gi")
  return [...text.matchAll(names)].some(({ 0: word, index }) =>
    refusing.test(text.slice(Math.max(0, index - near), index + word.length + near))
  )
}

interface RequestMessage {
  readonly role: string
  readonly content: string | ReadonlyArray<{ readonly type: string; readonly text?: string }>
}

type Request = Readonly<Record<string, unknown>>

const messagesOf = ({ messages }: Request): ReadonlyArray<RequestMessage> =>
  Array.isArray(messages) ? (messages as ReadonlyArray<RequestMessage>) : []

const before = (text: string, content: RequestMessage["content"]): RequestMessage["content"] =>
  typeof content === "string" ? `${text}\n\n${content}` : [{ type: "text", text }, ...content]

/** Moves the instructions to the beginning of the user's first message. */
const withoutSystem = (messages: ReadonlyArray<RequestMessage>): ReadonlyArray<RequestMessage> => {
  const instructions = messages.flatMap(({ content, role }) =>
    role === "system" && typeof content === "string" && content !== "" ? [content] : []
  )
  const others = messages.filter(({ role }) => role !== "system")
  if (instructions.length === 0) return others
  const text = instructions.join("\n\n")
  const [first, ...rest] = others
  return first?.role === "user"
    ? [{ ...first, content: before(text, first.content) }, ...rest]
    : [{ role: "user", content: text }, ...others]
}

/** The request without the refused parts. */
const fitted = (request: Request, leftOut: ReadonlySet<string>): Request => {
  const fields = Object.entries(request).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
    if (name === "messages" && leftOut.has(systemRole)) return [[name, withoutSystem(messagesOf(request))]]
    if (name === "stream_options" && leftOut.has("stream")) return []
    if (!leftOut.has(name)) return [[name, value]]
    if (name === "stream") return [[name, false]]
    const newName = newNames[name]
    return newName === undefined || leftOut.has(newName) ? [] : [[newName, value]]
  })
  return Object.fromEntries(fields)
}

/** The text of a failure about the request; undefined for other failures. */
const refusalText = (failure: ServerFailure): string | undefined => {
  if (failure._tag === "ErrorLine") return failure.detail
  if (failure._tag !== "BadStatus" || failure.isMissing === true) return undefined
  return refusesRequest(failure.status, failure.detail) ? failure.detail : undefined
}

/**
 * The request fields that the server may have rejected with this failure. An error inside a streamed answer cannot be a
 * rejection of streaming.
 */
const refusable = (request: Request, failure: ServerFailure): ReadonlyArray<string> =>
  Object.keys(request).filter(
    (name) =>
      !needed.has(name) &&
      request[name] !== undefined &&
      (name !== "stream" || (request[name] === true && failure._tag !== "ErrorLine"))
  )

/** The parts of a request that the message of a failure names as refused. */
const refusedParts = (failure: ServerFailure, request: Request): ReadonlyArray<string> => {
  const text = refusalText(failure)
  if (text === undefined) return []
  const [about = ""] = text.split(listing, 1)
  const fields = refusable(request, failure).filter((name) => refusesField(about, name))
  if (fields.length > 0) return fields
  const hasSystem = messagesOf(request).some(({ role }) => role === "system")
  return hasSystem && refusesSystem.test(text) ? [systemRole] : []
}

const noticeOf = (model: string, part: string): RequestNotice => {
  if (part === systemRole) {
    const text = `The server takes no system role for ${model}: the instructions are in the first message of the user.`
    return { level: "info", text }
  }
  const what = newNames[part] === undefined ? "it is left out" : `${newNames[part]} is sent instead`
  return {
    level: harmless.has(part) ? "info" : "warning",
    text: `The server refuses the field "${part}" for ${model}: ${what} in this run.`
  }
}

/** The adapter for the requests of a run. */
export const makeRequestFit = () => {
  const byModel = new Map<string, Set<string>>()
  const leftOutOf = (model: string): Set<string> => {
    const leftOut = byModel.get(model) ?? new Set()
    byModel.set(model, leftOut)
    return leftOut
  }
  return {
    /** Adapts the requests of one call, which may be sent several times. */
    forCall: (model: string) => {
      const leftOut = leftOutOf(model)
      const learnt: Array<string> = []
      return {
        fit: (request: object): Request => fitted(request as Request, leftOut),
        /**
         * Remembers which parts of the request the server refused. Returns true if it refused any: a retry without them
         * is then worth a try.
         */
        learn: (failure: ServerFailure, sent: Request): boolean => {
          const parts = refusedParts(failure, sent)
          const news = parts.filter((part) => !leftOut.has(part))
          for (const part of news) leftOut.add(part)
          learnt.push(...news)
          return parts.length > 0
        },
        /** Forgets what this call learnt, because the request also failed without these parts. */
        forget: (): void => {
          for (const part of learnt.splice(0)) leftOut.delete(part)
        },
        /** Returns notices about parts that were omitted for the first time. Called when the call is answered. */
        notices: (): ReadonlyArray<RequestNotice> => learnt.splice(0).map((part) => noticeOf(model, part))
      }
    }
  }
}
