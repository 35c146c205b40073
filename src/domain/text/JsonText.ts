/** Reads JSON, and remembers the line and column of each key and element for messages about later problems. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode
} from "jsonc-parser"
import { maxNesting, textNestedTooDeep } from "./Json.ts"

/** A position in a text. Line and column count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface JsonProblem extends Place {
  readonly what: string
}

/** A JSON value with the places of its parts. For a missing path, `placeOf` returns the place of its nearest parent. */
export interface LocatedJson {
  readonly value: Schema.Json
  readonly placeOf: (path: ReadonlyArray<PropertyKey>) => Place
}

/** The line and column of an offset, from 1. A single carriage return also ends a line, as in editors. */
const placeAt = (text: string, offset: number): Place => {
  const lines = text.slice(0, offset).split(/\r\n?|\n/)
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** An error code of the parser, such as `ValueExpected`, in words for the user. */
const faultText = ({ error }: ParseError): string =>
  `${printParseErrorCode(error)
    .replace(/(?<=[a-z])[A-Z]/g, " $&")
    .toLowerCase()}.`

const keyOf = ({ children: [key] = [] }: Node): unknown => key?.value

/** The first key that repeats an earlier key of an object. The parser accepts such objects. */
const repeatedKey = (node: Node): Node | undefined => {
  const { children = [], type } = node
  const again =
    type === "object"
      ? children.find((one, at) => children.slice(0, at).some((other) => keyOf(other) === keyOf(one)))
      : undefined
  return again ?? children.map(repeatedKey).find((one) => one !== undefined)
}

/**
 * Reads strict JSON and rejects repeated keys. `isLoose` allows comments and trailing commas, as in files of other
 * programs.
 */
export const readJson = (given: string, isLoose = false): Result.Result<LocatedJson, JsonProblem> => {
  const text = isLoose ? given.replace(/^\uFEFF/, " ") : given
  const problemAt = (offset: number, what: string) => Result.fail({ ...placeAt(text, offset), what })
  if (textNestedTooDeep(text, maxNesting + 1)) return problemAt(0, "the text is nested too deeply.")
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors, { disallowComments: !isLoose, allowTrailingComma: isLoose })
  const [error] = errors
  if (root === undefined || error !== undefined)
    return problemAt(error?.offset ?? 0, error === undefined ? "value expected." : faultText(error))
  const again = repeatedKey(root)
  if (again !== undefined)
    return problemAt(again.offset, `the key ${JSON.stringify(keyOf(again))} stands here a second time.`)
  const placeOf = (path: ReadonlyArray<PropertyKey>): Place => {
    const node = findNodeAtLocation(root, path as Array<string | number>)
    if (node === undefined) return placeOf(path.slice(0, -1))
    return placeAt(text, node.parent?.type === "property" ? node.parent.offset : node.offset)
  }
  const strict = isLoose ? JSON.stringify(getNodeValue(root)) : text
  return Result.succeed({ value: JSON.parse(strict) as Schema.Json, placeOf })
}
