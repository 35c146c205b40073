/**
 * JSON that is nested more deeply than any call stack: in each of the forms that readers meet.
 */

const levels = 12_000

/** Texts of JSON, by what they are. */
export const deepTexts: Readonly<Record<string, string>> = {
  lists: `${"[".repeat(levels)}${"]".repeat(levels)}`,
  objects: `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`,
  "lists in objects": `${'{"a":['.repeat(levels)}1${"]}".repeat(levels)}`,
  "a deep value beside others": `{"path":"a.md","x":${"[".repeat(levels)}${"]".repeat(levels)},"y":1}`,
  "a value just over the limit": `{"a":${"[".repeat(300)}${"]".repeat(300)}}`,
  "brackets that are never closed": "[".repeat(levels),
  "objects that are never closed": '{"a":'.repeat(levels),
  "brackets that close too often": `{}${"}".repeat(levels)}`,
  "blanks between brackets": `${"[ \n".repeat(levels)}${"] ".repeat(levels)}`,
  "strings full of brackets": `{"path":"${"[{".repeat(levels)}"}`,
  "keys full of brackets": `${'{"[[[{{{":'.repeat(levels)}1${"}".repeat(levels)}`
}

/** Those of them that are JSON and too deep. */
export const deepValues: ReadonlyArray<readonly [form: string, text: string]> = Object.entries(deepTexts).filter(
  ([form]) => !/never closed|too often|strings full/.test(form)
)
