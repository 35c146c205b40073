/**
 * Joins the parts in which a server streams tool calls. Servers identify the calls by index, by id, by both, or not at
 * all. Some servers repeat names, and some change the id with each part. Arguments are usually text, but some servers
 * send them as an object. Some send the arguments several times. Some send an empty object before the arguments.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { idOrNew, paramsOf, type Parts } from "../../plugin-kit.ts"

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const FunctionPiece = Schema.Struct({ name: optional(Schema.String), arguments: Schema.optionalKey(Schema.Unknown) })

/** A streamed part of a call. The first part has the name. Later parts add to the arguments. */
export const CallPiece = Schema.Struct({
  index: Schema.optionalKey(Schema.Unknown),
  id: Schema.optionalKey(Schema.Unknown),
  function: optional(FunctionPiece),
  /** Some servers leave out the level `function`, so its fields may be here. */
  ...FunctionPiece.fields
})
type CallPiece = typeof CallPiece.Type

/** A call in the old form of the API, in which an answer has at most one call. */
export const OldCall = FunctionPiece

interface OpenCall {
  readonly index: unknown
  readonly id: string | undefined
  name: string
  args: string
}

const isWholeJson = (text: string): boolean => {
  if (!text.trimEnd().endsWith("}")) return false
  try {
    return Predicate.isObject(JSON.parse(text))
  } catch {
    return false
  }
}

const textOf = (given: unknown): string =>
  typeof given === "string" ? given : given == null ? "" : JSON.stringify(given)

/** Adds text to the arguments. If they are complete and a new object begins, the new object replaces them. */
const addArguments = (args: string, piece: string): string =>
  piece.trimStart().startsWith("{") && isWholeJson(args) ? piece : args + piece

/** Adds text to the name. Some servers send the whole name again, which then counts once. */
const addName = (name: string, piece: string): string =>
  piece === name ? name : piece.startsWith(name) ? piece : name + piece

const idOf = ({ id }: CallPiece): string | undefined => (id == null || id === "" ? undefined : String(id))

interface NamedPiece {
  readonly index: unknown
  readonly id: string | undefined
  readonly name: string
  readonly args: string
}

/**
 * True if a streamed part begins a new call, although its index or its place in the stream suggests that it continues
 * `call`.
 */
const beginsAnother = (call: OpenCall, { args, id, name }: NamedPiece): boolean => {
  if (name === "") return false
  const isOtherName = !name.startsWith(call.name)
  const isOtherId = id !== undefined && call.id !== undefined && id !== call.id
  /* Until the arguments begin, a name may come in several parts. */
  if (call.args === "") return isOtherId || (isOtherName && args !== "")
  if (!isWholeJson(call.args)) return isOtherName
  if (isOtherName || isOtherId) return true
  const isRepeated = args.trim() === "" || args === call.args || call.args.trim() === "{}"
  return id === undefined && !isRepeated
}

export const makeCallReader = () => {
  const calls: Array<OpenCall> = []

  const callOf = (piece: NamedPiece): OpenCall => {
    const { id, index } = piece
    const ofId = id === undefined ? undefined : calls.findLast((call) => call.id === id && call.index === index)
    /* If the part has no index, a new id always means a new call. */
    const mayFollow = index !== undefined || id === undefined
    const near = mayFollow ? calls.findLast((call) => index === undefined || call.index === index) : undefined
    const before = ofId ?? near
    if (before !== undefined && !beginsAnother(before, piece)) return before
    const call: OpenCall = { index, id, name: "", args: "" }
    calls.push(call)
    return call
  }
  /**
   * True for a call without arguments, if another call of this name has arguments. If a server gives each streamed part
   * a new id, the first part becomes such an empty call.
   */
  const isEmptyHead = (call: OpenCall): boolean =>
    call.args === "" && calls.some((other) => other !== call && other.name === call.name && other.args !== "")

  return {
    /** Adds a streamed part. Returns the text that it adds to the arguments, so that the caller notices repetitions. */
    take: (piece: CallPiece): Parts => {
      const name = piece.function?.name ?? piece.name ?? ""
      const args = textOf(piece.function?.arguments ?? piece.arguments)
      const call = callOf({ index: piece.index ?? undefined, id: idOf(piece), name, args })
      call.name = addName(call.name, name)
      call.args = addArguments(call.args, args)
      return args === "" ? [] : [{ type: "tool-params-delta", id: call.id ?? call.name, delta: args }]
    },
    hasCalls: () => calls.length > 0,
    /** The complete calls, each with a unique id. */
    parts: (): Parts => {
      const ids = new Set<string>()
      return calls
        .filter((call) => !isEmptyHead(call))
        .map(({ args, id, name }) => {
          const own = idOrNew(id === undefined || ids.has(id) ? undefined : id)
          ids.add(own)
          return { type: "tool-call" as const, id: own, name, params: paramsOf(args) }
        })
    }
  }
}
