/**
 * What git ignores: the rules of `.gitignore` files and of `.git/info/exclude`, asked while a tree is walked from the
 * top. The rule file nearest to a path decides; within a file, the last rule that matches.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import ignore, { type Ignore } from "ignore"
import { readTextFile } from "./TextFile.ts"

/** One rule file. `base` is the folder it stands in, absolute. */
interface Rules {
  readonly base: string
  readonly ignore: Ignore
}

/** Rule files that hold in a folder, nearest first. */
export type RuleChain = ReadonlyArray<Rules>

const maxRuleBytes = 1_048_576

/** The rules of a file; none when it cannot be read, as git does. */
const readRules = Effect.fnUntraced(function* (file: string, base: string) {
  const text = yield* readTextFile(file, maxRuleBytes).pipe(Effect.orElseSucceed(() => ""))
  return text.trim() === "" ? [] : [{ base, ignore: ignore({ ignorecase: false }).add(text) }]
})

/** The chain with the `.gitignore` of one more folder in front. */
export const enterFolder = Effect.fnUntraced(function* (chain: RuleChain, folder: string) {
  const path = yield* Path.Path
  return [...(yield* readRules(path.join(folder, ".gitignore"), folder)), ...chain]
})

/** True when the rules ignore what stands at the absolute path. */
export const isIgnored = (path: Path.Path, chain: RuleChain, candidate: string, isFolder: boolean): boolean => {
  for (const rules of chain) {
    const relative = path.relative(rules.base, candidate).split(path.sep).join("/")
    const tested = `${relative}${isFolder ? "/" : ""}`
    if (!ignore.isPathValid(tested)) continue
    const outcome = rules.ignore.test(tested)
    if (outcome.ignored !== outcome.unignored) return outcome.ignored
  }
  return false
}

/** The folders from the top of the repository down to `root`, without `root`; none outside a repository. */
const foldersAbove = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const above: Array<string> = []
  let folder = root
  while (!(yield* fs.exists(path.join(folder, ".git")).pipe(Effect.orElseSucceed(() => false)))) {
    const parent = path.dirname(folder)
    if (parent === folder) return []
    above.unshift(parent)
    folder = parent
  }
  return above
})

/**
 * The rules that hold in `root` before its own `.gitignore`: those of the repository around it. A root that its own
 * repository ignores is taken for itself: nothing above it counts.
 */
export const rulesAbove = Effect.fn("rulesAbove")(function* (root: string) {
  const path = yield* Path.Path
  const above = yield* foldersAbove(root)
  const top = above[0] ?? root
  let chain: RuleChain = yield* readRules(path.join(top, ".git", "info", "exclude"), top)
  for (const [index, folder] of above.entries()) {
    chain = yield* enterFolder(chain, folder)
    if (isIgnored(path, chain, above[index + 1] ?? root, true)) return []
  }
  return chain
})
