/**
 * Reads the files that describe the project and how to work in it, such as AGENTS.md. Searches the folders of given
 * files, and all folders above them up to the top of the repository. A description can import other files of the
 * project. Each imported file is read once.
 */
import * as Effect from "effect/Effect"
import { stat } from "node:fs/promises"
import * as path from "node:path"
import { foldersOf } from "../../domain/files/PathList.ts"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import { type Import, importsIn, type NamedFile, pointerIn, withImports } from "../../domain/models/Imports.ts"
import type { DescriptionFile } from "../../domain/models/ProjectDescription.ts"
import { isWithin } from "./CanonicalPath.ts"
import { isFileAt, type Workspace } from "./Workspace.ts"

/** The possible names of a description. In each folder, the first of these files that is not empty is used. */
const names = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"]
const maxBytes = 1_048_576

/** The most imports in one file. */
const mostImports = 20

/** The most searched folders above the project. */
const mostFoldersAbove = 32

const infoOf = (file: string) => Effect.promise(() => stat(file).catch(() => undefined))

/**
 * The top of the repository, if it lies above the project. Its owner must be that of the project, because another owner
 * could plant files there.
 */
const repositoryAbove = Effect.fnUntraced(function* (root: string) {
  const owner = (yield* infoOf(root))?.uid
  let folder = root
  for (let level = 0; level < mostFoldersAbove; level += 1) {
    if ((yield* infoOf(path.join(folder, ".git"))) !== undefined) {
      return folder !== root && (yield* infoOf(folder))?.uid === owner ? folder : undefined
    }
    const above = path.dirname(folder)
    if (above === folder) return undefined
    folder = above
  }
  return undefined
})

export interface DescriptionOrder {
  /** The files whose folders are searched, relative to the project. */
  readonly near: ReadonlyArray<string>
  /** Decides whether a canonical path may be read. */
  readonly mayRead: (path: string) => Effect.Effect<boolean>
  /** True to search the folders above the project, too, up to the top of its repository. */
  readonly above?: boolean
}

/**
 * The path of a file that may be shown, or a clause that says why it may not be shown. Undefined if there is no file.
 */
type Looked = { readonly path: string } | { readonly why: string } | undefined

/** Returns functions that find and read files, and the set of the files that were already shown. */
const makeLook = (workspace: Workspace["Service"], { mayRead }: DescriptionOrder, repository: string) => {
  /** The canonical paths of the files that were already shown. */
  const shownFiles = new Set<string>()

  /**
   * The file at the absolute path `written`, or why it may not be shown. Undefined if there is no file. If `from` is in
   * the project, it may import only files of the project.
   */
  const look = Effect.fnUntraced(function* (written: string, from = written): Effect.fn.Return<Looked> {
    const base = isWithin(workspace.root, from) ? workspace.root : repository
    const file = yield* Effect.orElseSucceed(workspace.canonical(written), () => undefined)
    if (file === undefined) return undefined
    if (!isWithin(base, file.path)) return { why: "leads out of the project" }
    if (!(yield* isFileAt(workspace, file.path))) return undefined
    if (isSecretLike(file.path)) return { why: "has a name that looks like a secret" }
    return (yield* mayRead(file.path)) ? { path: file.path } : { why: "is not allowed to be read by any rule" }
  })

  const read = (file: string) =>
    Effect.match(workspace.readText(file, maxBytes), {
      onFailure: ({ message, type }) => ({ text: "", why: type === "not_found" ? undefined : message }),
      onSuccess: (text) => ({ text: text.trim(), why: undefined })
    })

  /** The text of an imported file, or why it is not read. */
  const readNamed = Effect.fnUntraced(function* ({ path: written }: NamedFile, from: string) {
    if (/^~(?:\/|$)/.test(written)) return { why: "leads out of the project" }
    const file = yield* look(path.resolve(path.dirname(from), written), from)
    if (file === undefined) return { why: "is not there" }
    if ("why" in file) return file
    if (file.path === from) return { why: "is the file itself" }
    if (shownFiles.has(file.path)) return { isShown: true as const }
    const { text, why } = yield* read(file.path)
    return why === undefined ? { text, file: file.path } : { why: `cannot be used: ${why}` }
  })

  return { look, read, readNamed, shown: shownFiles }
}

const makeReader = (workspace: Workspace["Service"], order: DescriptionOrder, repository: string) => {
  const { look, read, readNamed, shown: shownFiles } = makeLook(workspace, order, repository)
  const notes: Array<string> = []
  const nameOf = (file: string): string => path.relative(workspace.root, file).split(path.sep).join("/")
  const leaveOut = (name: string, why: string): void => {
    notes.push(`${name} is not part of the prompts: ${why.replace(/\.$/, "")}.`)
  }

  /** The text with its imported files inserted. The imports of those files are not inserted. */
  const expand = Effect.fnUntraced(function* (text: string, from: string) {
    const name = nameOf(from)
    const all = importsIn(text)
    const imported: Array<{ readonly at: Import; readonly from: string; readonly text: string }> = []
    for (const at of all.slice(0, mostImports)) {
      const importedFile = yield* readNamed(at, from)
      if ("isShown" in importedFile) continue
      if ("why" in importedFile) {
        if (at.isSure) notes.push(`${name} imports ${at.path}, which ${importedFile.why.replace(/\.$/, "")}.`)
        continue
      }
      shownFiles.add(importedFile.file)
      const nested = importsIn(importedFile.text).find(({ isSure }) => isSure)
      if (nested !== undefined) {
        notes.push(
          `${nameOf(importedFile.file)} imports ${nested.path}, which is not followed: ${name} imports the file itself.`
        )
      }
      imported.push({ at, from: nameOf(importedFile.file), text: importedFile.text })
    }
    if (all.length > mostImports) notes.push(`${name} imports ${all.length} files, of which ${mostImports} are read.`)
    return withImports(text, imported)
  })

  /**
   * If a text only names a file, the text of that file. Otherwise the text itself. Undefined if the named file was
   * already shown.
   */
  const follow = Effect.fnUntraced(function* (text: string, file: string, name: string) {
    const pointer = pointerIn(text)
    if (pointer === undefined) return { text, from: file }
    const pointed = yield* readNamed(pointer, file)
    if ("isShown" in pointed) return undefined
    if ("why" in pointed) {
      if (!pointer.isSure) return { text, from: file }
      leaveOut(name, `it holds only the path ${pointer.path}, which ${pointed.why}`)
      return { text: "", from: file }
    }
    const next = pointerIn(pointed.text)
    if (next?.isSure === true) {
      leaveOut(name, `it leads to ${nameOf(pointed.file)}, which holds only a path, too: ${next.path}`)
      return { text: "", from: file }
    }
    shownFiles.add(pointed.file)
    return { text: pointed.text, from: pointed.file }
  })

  /** The text of one description. Undefined if already shown; empty if the file does not exist. */
  const describe = Effect.fnUntraced(function* (written: string, name: string) {
    const looked = yield* look(written)
    if (looked === undefined) return ""
    if ("why" in looked) {
      const why = looked.why.startsWith("is not allowed") ? "no rule lets it be read" : `it ${looked.why}`
      leaveOut(name, why)
      return ""
    }
    if (shownFiles.has(looked.path)) return undefined
    const { text, why } = yield* read(looked.path)
    if (why !== undefined) leaveOut(name, why)
    if (text === "") return ""
    const followed = yield* follow(text, looked.path, name)
    if (followed === undefined || followed.text === "") return followed?.text
    shownFiles.add(looked.path)
    return yield* expand(followed.text, followed.from)
  })

  const firstIn = Effect.fnUntraced(function* (folder: string) {
    for (const name of folder === workspace.root ? [...names, "README.md"] : names) {
      const file = path.join(folder, name)
      const text = yield* describe(file, nameOf(file))
      if (text === undefined) return []
      if (text !== "") return [{ path: nameOf(file), text } satisfies DescriptionFile]
    }
    return []
  })

  return { firstIn, notes }
}

/**
 * The descriptions in the folders of the `near` files and above, nearest first. If the project folder has no
 * description, its README.md is used. `notes` mention files that are not shown.
 */
export const readDescriptions = Effect.fn("readDescriptions")(function* (
  workspace: Workspace["Service"],
  order: DescriptionOrder
) {
  const { root } = workspace
  const repository = order.above === true ? yield* repositoryAbove(root) : undefined
  const below = foldersOf(order.near)
    .toSorted((a, b) => b.split("/").length - a.split("/").length)
    .map((folder) => path.join(root, folder))
  const above: Array<string> = []
  if (repository !== undefined) {
    for (let folder = path.dirname(root); isWithin(repository, folder); folder = path.dirname(folder))
      above.push(folder)
  }
  const { firstIn, notes } = makeReader(workspace, order, repository ?? root)
  /** Reads the outermost description first, because inner descriptions must not repeat it. */
  const found = yield* Effect.forEach([...below, root, ...above].toReversed(), firstIn)
  return { files: found.flat().toReversed(), notes }
})
