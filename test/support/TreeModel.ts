/**
 * A project as a map from paths to what is there, and what changes of an answer make of it: written apart from the product, so that
 * its runs can be held against it.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"

/** How the text of a file is written; `bytes` for what is no text. */
type Coding = "utf8" | "latin1" | "utf16le" | "bytes"

export type Entry = { readonly link: string } | { readonly data: Buffer; readonly coding: Coding }

export type Tree = Map<string, Entry>

/** What one change asks for. */
export type Wish =
  | { readonly do: "edit"; readonly path: string; readonly old: string; readonly now: string }
  | { readonly do: "write"; readonly path: string; readonly text: string }
  | { readonly do: "move"; readonly path: string; readonly to: string }
  | { readonly do: "remove"; readonly path: string }
  | { readonly do: "replace"; readonly old: string; readonly now: string }

/** What the project says of its files. */
export interface TreeRules {
  /** Denied to be read or changed. */
  readonly isDenied: (path: string) => boolean
  readonly isSecret: (path: string) => boolean
  /** Ignored by git, and not tracked. */
  readonly isIgnored: (path: string) => boolean
}

const mark = Buffer.from([0xff, 0xfe])

export const encode = (text: string, coding: Coding): Buffer =>
  coding === "utf16le"
    ? Buffer.concat([mark, Buffer.from(text, "utf16le")])
    : Buffer.from(text, coding === "latin1" ? "latin1" : "utf8")

const decode = ({ coding, data }: Extract<Entry, { readonly data: Buffer }>): string | undefined =>
  coding === "bytes" ? undefined : coding === "utf16le" ? data.subarray(2).toString("utf16le") : data.toString(coding)

export const file = (text: string, coding: Coding = "utf8"): Entry => ({ data: encode(text, coding), coding })

const isBelow = (folder: string, path: string): boolean => path.startsWith(`${folder}/`)
const isFolder = (tree: Tree, path: string): boolean => [...tree.keys()].some((one) => isBelow(path, one))

/** Where a path leads; nothing out of the project, in a circle, and below a file. */
const follow = (tree: Tree, path: string, links = 0): string | undefined => {
  const parts = posix
    .normalize(path)
    .split("/")
    .filter((part) => part !== "." && part !== "")
  if (parts[0] === ".." || links > 20) return undefined
  for (let at = 1; at <= parts.length; at += 1) {
    const here = parts.slice(0, at).join("/")
    const entry = tree.get(here)
    if (entry === undefined) continue
    if ("link" in entry) {
      if (entry.link.startsWith("/")) return undefined
      return follow(tree, posix.join(posix.dirname(here), entry.link, ...parts.slice(at)), links + 1)
    }
    if (at < parts.length) return undefined
  }
  return parts.join("/")
}

/** Where a name stands, which is not followed itself. */
const named = (tree: Tree, path: string): string | undefined => {
  const plain = posix.normalize(path).replace(/\/$/, "")
  const folder = follow(tree, posix.dirname(plain))
  return folder === undefined || tree.has(folder) ? undefined : posix.join(folder, posix.basename(plain))
}

const isSame = (a: Entry | undefined, b: Entry | undefined): boolean =>
  a !== undefined && b !== undefined && "data" in a && "data" in b && a.data.equals(b.data)

/** The paths at a path: itself, or all files of a folder. */
const at = (tree: Tree, path: string): ReadonlyArray<string> =>
  tree.has(path) ? [path] : [...tree.keys()].filter((one) => isBelow(path, one))

/** A name is found as a whole. */
const wordOf = (word: string, flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_$])${word}(?![\\p{L}\\p{N}_$])`, `u${flags}`)

const withText = (entry: Entry | undefined, change: (text: string) => string | undefined): Entry | undefined => {
  if (entry === undefined || "link" in entry) return undefined
  const text = decode(entry)
  const now = text === undefined ? undefined : change(text)
  return now === undefined ? undefined : { coding: entry.coding, data: encode(now, entry.coding) }
}

const apply = {
  edit: (tree: Tree, { now, old, path }: Extract<Wish, { readonly do: "edit" }>, rules: TreeRules): boolean => {
    const target = follow(tree, path)
    if (target === undefined || rules.isDenied(target)) return false
    const changed = withText(tree.get(target), (text) => {
      const lines = text.split("\n")
      return lines.filter((line) => line === old).length === 1
        ? lines.map((line) => (line === old ? now : line)).join("\n")
        : undefined
    })
    if (changed !== undefined) tree.set(target, changed)
    return changed !== undefined
  },
  write: (tree: Tree, { path, text }: Extract<Wish, { readonly do: "write" }>, rules: TreeRules): boolean => {
    const target = follow(tree, path)
    if (target === undefined || rules.isDenied(target) || isFolder(tree, target)) return false
    const before = tree.get(target)
    const coding = before !== undefined && "data" in before && before.coding !== "bytes" ? before.coding : "utf8"
    tree.set(target, file(text, coding))
    return true
  },
  remove: (tree: Tree, { path }: Extract<Wish, { readonly do: "remove" }>, rules: TreeRules): boolean => {
    const target = named(tree, path)
    const gone = target === undefined ? [] : at(tree, target)
    if (gone.length === 0 || gone.some(rules.isDenied)) return false
    for (const one of gone) tree.delete(one)
    return true
  },
  move: (tree: Tree, { path, to }: Extract<Wish, { readonly do: "move" }>, rules: TreeRules): boolean => {
    const source = named(tree, path)
    let target = named(tree, to)
    if (source === undefined || target === undefined) return false
    const files = at(tree, source)
    const isFile = tree.has(source)
    if (to.endsWith("/") || (isFile && isFolder(tree, target)))
      target = named(tree, posix.join(to, posix.basename(source)))
    if (target === undefined || files.length === 0 || target === source || isBelow(source, target)) return false
    const isTaken = tree.has(target) || isFolder(tree, target)
    if (isTaken && !(isFile && isSame(tree.get(source), tree.get(target)))) return false
    const places = files.map((one) => (isFile ? target : target + one.slice(source.length)))
    if ([...files, ...places].some(rules.isDenied)) return false
    const entries = files.map((one) => tree.get(one))
    for (const one of files) tree.delete(one)
    for (const [index, place] of places.entries()) {
      const entry = entries[index]
      if (entry !== undefined) tree.set(place, entry)
    }
    return true
  },
  /* Bytes that are left out make it incomplete; files that no task may read do not. */
  replace: (tree: Tree, { now, old }: Extract<Wish, { readonly do: "replace" }>, rules: TreeRules): boolean => {
    let [isAny, isWhole] = [false, true]
    for (const [path, entry] of tree) {
      if ("link" in entry || rules.isIgnored(path) || rules.isDenied(path) || rules.isSecret(path)) continue
      if (entry.coding === "bytes") isWhole &&= !entry.data.includes(old)
      else {
        const changed = withText(entry, (text) =>
          wordOf(old, "").test(text) ? text.replaceAll(wordOf(old, "g"), now) : undefined
        )
        if (changed === undefined) continue
        isAny = true
        tree.set(path, changed)
      }
    }
    return isAny && isWhole
  }
}

/** Makes a change as far as it can be made; false when it cannot, or something of it is left out. */
export const grant = (tree: Tree, wish: Wish, rules: TreeRules): boolean => apply[wish.do](tree, wish as never, rules)

/** The text that a path leads to. */
export const textAt = (tree: Tree, path: string): string | undefined => {
  const entry = tree.get(follow(tree, path) ?? "")
  return entry === undefined || "link" in entry ? undefined : decode(entry)
}

/** True when the tree is as a change wants it, whoever made it so. */
export const isGranted = (tree: Tree, wish: Wish, rules: TreeRules): boolean => {
  switch (wish.do) {
    case "edit":
      return textAt(tree, wish.path)?.split("\n").includes(wish.now) === true
    case "write":
      return textAt(tree, wish.path) === wish.text
    case "remove":
      return at(tree, named(tree, wish.path) ?? "").length === 0
    case "move": {
      const [from, to] = [named(tree, wish.path) ?? "", named(tree, wish.to) ?? ""]
      return (from === to || at(tree, from).length === 0) && at(tree, to).length > 0
    }
    /* What a search leaves out tells nothing. */
    case "replace":
      return [...tree].every(
        ([path, entry]) =>
          "link" in entry ||
          rules.isIgnored(path) ||
          rules.isSecret(path) ||
          rules.isDenied(path) ||
          entry.coding === "bytes" ||
          !wordOf(wish.old, "").test(decode(entry) ?? "")
      )
  }
}

/** Writes a tree into an empty folder. */
export const putTree = (folder: string, tree: Tree): void => {
  for (const [path, entry] of tree) {
    const place = join(folder, path)
    mkdirSync(dirname(place), { recursive: true })
    if ("link" in entry) symlinkSync(entry.link, place)
    else writeFileSync(place, entry.data)
  }
}

/** What is in a folder by path: the bytes in latin1, or `-> target`. */
export const contentsOf = (folder: string, isLeftOut: (name: string) => boolean, below = ""): Map<string, string> =>
  new Map(
    readdirSync(join(folder, below)).flatMap((name): ReadonlyArray<readonly [string, string]> => {
      if (below === "" && isLeftOut(name)) return []
      const path = posix.join(below, name)
      const info = lstatSync(join(folder, path))
      if (info.isSymbolicLink()) return [[path, `-> ${readlinkSync(join(folder, path))}`]]
      if (info.isDirectory()) return Array.from(contentsOf(folder, isLeftOut, path))
      return [[path, readFileSync(join(folder, path)).toString("latin1")]]
    })
  )

export const contentsOfTree = (tree: Tree): Map<string, string> =>
  new Map(
    [...tree].map(([path, entry]) => [path, "link" in entry ? `-> ${entry.link}` : entry.data.toString("latin1")])
  )
