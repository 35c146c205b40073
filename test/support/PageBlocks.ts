/**
 * The code blocks of a documentation page. The word after the language may name a file: ```markdown plan.md is the content of
 * plan.md.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const repository = fileURLToPath(new URL("../..", import.meta.url))

export interface PageBlock {
  /** Where it begins, such as `docs/reference/runs.md:12`. */
  readonly place: string
  readonly language: string
  readonly file: string | undefined
  readonly lines: ReadonlyArray<string>
}

export const pageText = (page: string): string => readFileSync(join(repository, page), "utf8")

/** A fence ends at a fence that is at least as long, so that blocks can stand inside blocks. */
export const blocksOf = (page: string): ReadonlyArray<PageBlock> => {
  const blocks: Array<PageBlock> = []
  let open:
    | { readonly fence: string; readonly info: string; readonly at: number; readonly lines: Array<string> }
    | undefined
  for (const [index, line] of pageText(page).split("\n").entries()) {
    const [, fence = "", info = ""] = /^(`{3,})([^`]*)$/.exec(line) ?? []
    if (open === undefined) {
      if (fence !== "") open = { fence, info: info.trim(), at: index + 1, lines: [] }
    } else if (fence.length >= open.fence.length && info === "") {
      const [language = "", file] = open.info.split(" ")
      blocks.push({ place: `${page}:${open.at}`, language, file, lines: open.lines })
      open = undefined
    } else {
      open.lines.push(line)
    }
  }
  return blocks
}

/** What stands between single backticks in the prose of a page. */
export const codeInProse = (page: string): ReadonlyArray<string> => {
  const prose = pageText(page).replace(/^(`{3,}).*?^\1`*$/gms, "")
  return Array.from(prose.matchAll(/(?<!`)`([^`]+)`(?!`)/g), ([, text = ""]) => text.replaceAll(/\s*\n\s*/g, " "))
}
