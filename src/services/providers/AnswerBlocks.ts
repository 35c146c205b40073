/**
 * What the readers of answers share: text and thoughts as parts of effect/ai with a start and an end each, and calls.
 */
import { randomBytes } from "node:crypto"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Response from "effect/ai/Response"
import { maxNesting, withoutDeeper } from "../../domain/text/Json.ts"

export type Parts = ReadonlyArray<Response.StreamPartEncoded>

/** Parts to which more are added. */
export type GrowingParts = Array<Response.StreamPartEncoded>

/** Turns the objects of one answer, in order, into parts; `end` adds those that are known when the last has come. */
export interface PartReader {
  /** Throws an `OllamaError` for an object that is none of an answer. */
  readonly read: (object: unknown, parts: GrowingParts) => void
  readonly end: (parts: GrowingParts) => void
}

/** Text and thoughts of one answer, in the order in which they come. */
export const makeBlocks = () => {
  let blocks = 0
  let open: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined

  const close = (parts: GrowingParts): void => {
    if (open !== undefined) parts.push({ type: `${open.kind}-end`, id: open.id })
    open = undefined
  }
  const write = (kind: "text" | "reasoning", delta: string | null | undefined, parts: GrowingParts): void => {
    if (delta == null || delta === "") return
    if (open?.kind !== kind) {
      close(parts)
      open = { kind, id: `${kind}-${blocks++}` }
      parts.push({ type: `${kind}-start`, id: open.id })
    }
    parts.push({ type: `${kind}-delta`, id: open.id, delta })
  }
  return { close, write }
}

/** The id of a call to which the server gave none. */
export const idOrNew = (given: string | null | undefined): string =>
  given == null || given === "" ? `id_${randomBytes(12).toString("hex")}` : given

const decodeArguments = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

/**
 * Arguments come as an object, or as JSON in a string; text that is not JSON stays text for the tool's schema to
 * refuse. Arguments that are nested too deeply keep one level more than the check of calls accepts.
 */
export const paramsOf = (value: unknown): unknown => {
  if (value === undefined || value === null) return {}
  if (typeof value === "string" && value.trim() === "") return {}
  const given = typeof value === "string" ? Option.getOrElse(decodeArguments(value), () => value) : value
  return withoutDeeper(given as Schema.Json, maxNesting + 1)
}

export const callParts = (id: string, name: string, params: unknown): Parts => [
  { type: "tool-params-start", id, name },
  { type: "tool-params-delta", id, delta: JSON.stringify(params) },
  { type: "tool-params-end", id },
  { type: "tool-call", id, name, params }
]
