/**
 * The files beside a SKILL.md that its tasks may read, such as `references/forms.md`. They are only listed here; a task
 * reads one with `read_file`, and the gate decides about it as about any other file.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

/** Each of them takes space in the prompt of every task of the skill. */
const maxFiles = 20
const maxEntries = 500
const maxDepth = 4

/** What is no material for a task: the skill itself, our tests of it, and what programs leave behind. */
const isLeftOut = (name: string, depth: number): boolean =>
  name.startsWith(".") || name === "node_modules" || name === "__pycache__" || (depth === 0 && /^(?:SKILL\.md|tests)$/.test(name))

/** Paths of regular files below a folder, relative to it, sorted. Links are not followed: they may lead anywhere. */
const filesBelow = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files: Array<string> = []
  let entries = 0
  const walk = (relative: string, depth: number): Effect.Effect<void> =>
    Effect.gen(function* () {
      const here = path.join(folder, relative)
      for (const name of (yield* fs.readDirectory(here)).toSorted()) {
        entries += 1
        if (entries > maxEntries) return
        const inside = relative === "" ? name : `${relative}/${name}`
        const isLink = (yield* fs.realPath(path.join(here, name))) !== path.join(here, name)
        if (isLink || isLeftOut(name, depth)) continue
        const { type } = yield* fs.stat(path.join(here, name))
        if (type === "File") files.push(inside)
        else if (type === "Directory" && depth < maxDepth) yield* walk(inside, depth + 1)
      }
    }).pipe(Effect.ignore)
  yield* walk("", 0)
  return files
})

/**
 * The files of the skill in this folder as `read_file` takes them, those first that its text names. `project` is the
 * project for a skill of the project; other skills get absolute paths.
 */
export const skillResources = Effect.fn("skillResources")(function* (
  folder: string,
  text: string,
  project: string | undefined
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* fs.realPath(folder)
  const root = project === undefined ? undefined : yield* fs.realPath(project)
  const files = yield* filesBelow(real)
  const chosen = [...files.filter((file) => text.includes(file)), ...files.filter((file) => !text.includes(file))]
  return chosen.slice(0, maxFiles).map((file) => {
    const absolute = path.join(real, file)
    return root === undefined ? absolute : path.relative(root, absolute).split(path.sep).join("/")
  })
})
