/**
 * Joins the parts in which a server streams tool calls. Servers identify a call by index, by id, by both, or not at
 * all. Some repeat names, change ids, or send the arguments several times, as an object, or after an empty object.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { idOrNew, paramsOf, type Parts } from "../../plugin-kit.ts"

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const FunctionPiece = Schema.Struct({ name: optional(Schema.String), arguments: Schema.optionalKey(Schema.Unknown) })

/** A streamed part of a call. The first part has the name, and later parts add to the arguments. */
export const CallPiece = Schema.Struct({
  index: Schema.optionalKey(Schema.Unknown),
  id: Schema.optionalKey(Schema.Unknown),
  function: optional(FunctionPiece),
  /** Some servers leave out the level `function`, so its fields can be here. */
  ...FunctionPiece.fields
})
type CallPiece = typeof CallPiece.Type

/** A call in the API's old form, at most one in an answer. */
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

/** Adds text to the arguments. If the arguments are already complete, a new object replaces them. */
const addArguments = (args: string, piece: string): string =>
  piece.trimStart().startsWith("{") && isWholeJson(args) ? piece : args + piece

/** Adds text to the name. A name that is sent again counts once. */
const addName = (name: string, piece: string): string =>
  piece === name ? name : piece.startsWith(name) ? piece : name + piece

const idOf = ({ id }: CallPiece): string | undefined => (id == null || id === "" ? undefined : String(id))

interface NamedPiece {
  readonly index: unknown
  readonly id: string | undefined
  readonly name: string
  readonly args: string
}

/** True if a part begins a new call, although its index or position suggests that it continues `call`. */
const beginsAnother = (call: OpenCall, { args, id, name }: NamedPiece): boolean => {
  if (name === "") return false
  const isOtherName = !name.startsWith(call.name)
  const isOtherId = id !== undefined && call.id !== undefined && id !== call.id
  /* Until the arguments begin, a name may come in parts. */
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
    /* Without an index, a new id always means a new call. */
    const mayFollow = index !== undefined || id === undefined
    const near = mayFollow ? calls.findLast((call) => index === undefined || call.index === index) : undefined
    const before = ofId ?? near
    if (before !== undefined && !beginsAnother(before, piece)) return before
    const call: OpenCall = { index, id, name: "", args: "" }
    calls.push(call)
    return call
  }
  /**
   * True for a call without arguments if another call of this name has arguments. Such an empty call arises if a server
   * gives each part a new id.
   */
  const isEmptyHead = (call: OpenCall): boolean =>
    call.args === "" && calls.some((other) => other !== call && other.name === call.name && other.args !== "")

  return {
    /** Adds a part. Returns the text that it adds to the arguments, so that the caller notices repetitions. */
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
