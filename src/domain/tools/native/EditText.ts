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
