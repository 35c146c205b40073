/**
 * Reads the imports of the source tree as text, for the architecture test.
 */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** One import or re-export. `target` is a path below src for a relative import, else the name of the module. */
export interface SourceImport {
  readonly target: string
  readonly isType: boolean
  /** Loaded by a call of `import`, not with the module. */
  readonly isLate?: true
  /** The names that are imported in braces, as their module exports them. */
  readonly names?: ReadonlyArray<string>
}

/** A module of src: its path below src, how many lines hold code, and its imports. */
export interface SourceModule {
  readonly path: string
  readonly codeLines: number
  readonly imports: ReadonlyArray<SourceImport>
}

const root = new URL("../../src/", import.meta.url)

const statement = /^(?:import|export)\s+(type\s+)?(?:([^"';]*?)\s+from\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm

/** What a clause in braces names. */
const partsIn = (clause: string | undefined): ReadonlyArray<string> | undefined =>
  clause
    ?.trim()
    .match(/^\{(.*)\}$/s)?.[1]
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** The imports of a text; `path` is where it stands below src. */
export const importsOf = (path: string, text: string): ReadonlyArray<SourceImport> =>
  [...text.matchAll(statement)].map(([, type, clause, from, dynamic]) => {
    const name = from ?? dynamic ?? ""
    const target = name.startsWith(".") ? new URL(name, `file:///${path}`).pathname.slice(1) : name
    const parts = partsIn(clause)
    const values = parts?.filter((part) => !part.startsWith("type "))
    const isType = type !== undefined || (parts !== undefined && parts.length > 0 && values?.length === 0)
    const names = values?.map((part) => part.split(" as ")[0]?.trim() ?? part)
    if (dynamic !== undefined) return { target, isType, isLate: true }
    return names === undefined ? { target, isType } : { target, isType, names }
  })

/** True for a line without code: blank, or of a comment. */
const isCommentLine = (line: string): boolean => /^\s*(?:$|\/\/|\/?\*)/.test(line)

/** All modules of src. */
export const sourceModules = (): ReadonlyArray<SourceModule> =>
  globSync("**/*.ts", { cwd: fileURLToPath(root), exclude: ["**/dist/**"] })
    .sort()
    .map((path) => {
      const text = readFileSync(new URL(path, root), "utf8")
      const codeLines = text.split("\n").filter((line) => !isCommentLine(line)).length
      return { path, codeLines, imports: importsOf(path, text) }
    })
