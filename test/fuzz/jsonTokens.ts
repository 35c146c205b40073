/**
 * What JSON is made of, and what nearly is JSON.
 */
import * as Schema from "effect/Schema"

/** Tokens without blanks. */
export const words = (text: string): ReadonlyArray<string> => text.split(" ")

export const jsonTokens: ReadonlyArray<string> = [
  ...words('{ } [ ] , : " "a" {} [] [[[[ ]]]] {"a": true false null 0 -1 1e5 1e400 01 9007199254740993 0.1'),
  ...words('"" "\\u0000" "\\ud800" "\\ NaN \'a\' undefined'),
  '"a": ',
  "/* x */",
  "// x\n",
  '"__proto__": {',
  '"constructor": ',
  '"a": 1, "a": 2',
  '"jsonrpc": "2.0"'
]

/** JSON for comparing values. */
export const json = (value: unknown): string => JSON.stringify(value)

/** The value of a JSON text; nothing when it is none. */
export const parsed = (text: string): { readonly value: Schema.Json } | undefined => {
  try {
    return { value: JSON.parse(text) as Schema.Json }
  } catch {
    return undefined
  }
}
