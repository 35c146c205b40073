import { assert, describe, it } from "@effect/vitest"
import { lossOf, saysRemoval } from "../../../src/domain/files/NewText.ts"

const base = `import { readFile } from "node:fs/promises"

export const limits = { retries: 3, seconds: 30 }

export const load = async (path) => {
  const text = await readFile(path, "utf8")
  return JSON.parse(text)
}

export const store = async (path, value) => {
  const text = JSON.stringify(value)
  await writeFile(path, text)
  return text.length
}

export const merge = (one, other) => ({
  ...one,
  ...other
})

export default { load, store, merge }
`
const changed = base.replace("retries: 3", "retries: 5")
const head = changed.split("\n").slice(0, 4).join("\n")

/** What models write in the place of what they leave out. */
const marks = [
  "// ... rest of the file stays the same",
  "// ... existing code ...",
  "// ...",
  "# ... rest of the code",
  "/* ... remaining code ... */",
  "// ... other functions unchanged",
  "// ... (rest of the implementation)",
  "// [... rest of file ...]",
  "... rest of the file ...",
  "<unchanged>",
  "// unchanged",
  "// The rest of the file is unchanged.",
  "// the remaining functions stay the same",
  "// … rest of file",
  "// other methods remain the same",
  "// existing code here",
  "// ... keep the existing code"
]

/** A text without part of the file, which is not said to go. */
const parts = [head, changed.split("\n").slice(0, 8).join("\n"), changed.split("\n").slice(2, 9).join("\n")]

const rewrites = [
  changed,
  `// The limits of the program.\n${changed}`,
  changed.replaceAll("  ", "    "),
  changed.replaceAll("\n", "\r\n"),
  changed.replace(/export const merge[^]*?\n\}\)\n/, ""),
  changed.replace(/export const store[^]*?\n\}\n/, ""),
  changed.replace("...one,", "...one, ...{},"),
  changed.replace(/\n\n/g, "\n"),
  changed.replace("load, store, merge", "...api"),
  "export { limits, load, store, merge } from './all.js'\n",
  "import * as api from './api.js'\nexport default api\n",
  "export class Store {\n  constructor(path) {\n    this.path = path\n  }\n}\n",
  changed.replace("seconds: 30", "seconds: 30, others: [...defaults]"),
  changed.replace("return text.length", "return { ...rest, length: text.length }"),
  changed.replace(/^/gm, "  ")
]

const codeOf = (newText: string, saysSo = false, oldText = base) =>
  lossOf({ path: "a.js", oldText, newText }, saysSo)?.code

describe("the new text of a file", () => {
  it.each(marks)("loses lines for which another one stands: %s", (mark) => {
    const codes = [codeOf(`${head}\n${mark}\n`), codeOf(`${changed}${mark}\n`, true)]
    assert.deepStrictEqual(codes, ["change-elided", "change-elided"])
  })

  it.each(parts)("loses lines when it is a part of the file: %#", (part) => {
    assert.deepStrictEqual([codeOf(part), codeOf(part, true)], ["change-open", undefined])
  })

  it.each(rewrites)("loses nothing when it is written anew: %#", (text) => assert.isUndefined(codeOf(text)))

  it("may keep a line that the file has, and a file may be short", () => {
    const elided = `${base}// ... rest of the code\n`
    assert.isUndefined(codeOf(elided.replace("3", "5"), false, elided))
    assert.isUndefined(codeOf("a\n", false, "a\nb\nc\nd\n"))
  })

  it("is said to have less by words of the answer", () => {
    for (const words of ["I removed the store.", "This drops `merge`.", "Simplified:", "Cleans up."])
      assert.isTrue(saysRemoval(words), words)
    for (const words of ["I raised the limit.", "The file is below."]) assert.isFalse(saysRemoval(words), words)
  })
})
