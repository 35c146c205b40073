/** Edits in the formats of other programs, as the blocks and diffs that the reader of changes knows. */

const names = new Set(["replace_in_file", "apply_diff", "search_and_replace", "search_replace"])

/** True for a tool of another program whose argument `diff` holds blocks with marks. */
export const isEdit = (name: string): boolean => names.has(name)

/** Blocks of another program, with the path before them. */
export const editText = (path: string, blocks: string): string =>
  `${path.trim()}\n${blocks
    .replace(/^:(?:start|end)_line:.*\n/gm, "")
    .replace(/^-------\n/gm, "")
    .replace(/^[-<]{5,9}[ \t]*SEARCH>?[ \t]*$/gm, "<<<<<<< OLD")
    .replace(/^[+>]{5,9}[ \t]*REPLACE>?[ \t]*$/gm, ">>>>>>> NEW")}`

const patch = /^\*\*\* Begin Patch[ \t]*\n([^]*?)(?:^\*\*\* End Patch[ \t]*$|(?![^]))/gm
const fileLine = /^\*\*\* (Update|Add|Delete) File: (.+)$/

/** The parts of a patch as a unified diff. */
const diffOf = (body: string): string =>
  body
    .split("\n")
    .flatMap((line) => {
      const [, kind, path = ""] = fileLine.exec(line) ?? []
      if (kind === "Update") return [`--- a/${path.trim()}`, `+++ b/${path.trim()}`]
      if (kind === "Add") return ["--- /dev/null", `+++ b/${path.trim()}`, "@@ -0,0 +1 @@"]
      if (kind === "Delete") return [`--- a/${path.trim()}`, "+++ /dev/null"]
      if (/^\*\*\* (?:End of File|Move to:)/.test(line)) return []
      return [/^@@(?!.*@@)/.test(line) ? "@@ @@" : line]
    })
    .join("\n")

/** The answer with each `*** Begin Patch` as a diff. */
export const withDiffs = (answer: string): string =>
  answer.includes("*** Begin Patch")
    ? answer.replace(patch, (_, body: string) => `\`\`\`diff\n${diffOf(body).trim()}\n\`\`\`\n`)
    : answer
