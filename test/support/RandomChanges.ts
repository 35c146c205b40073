/**
 * Random projects, and random answers that change their files.
 */
import { type Entry, file, textAt, type Tree, type TreeRules, type Wish } from "./TreeModel.ts"
import type { Random } from "../mutations/Damage.ts"

/** `dist/kept.js` is tracked although git ignores its folder. */
export const trackedFile = "dist/kept.js"

export const randomRules: TreeRules = {
  isDenied: (path) => path.startsWith("closed/"),
  isSecret: (path) => /(?:^|\/)\.env$/.test(path),
  isIgnored: (path) => path.startsWith("dist/") && path !== trackedFile
}

const words = ["alpha", "beta", "gamma", "delta"]

const pictures = [
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]),
  Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(" alpha "), Buffer.from([0])])
]

export const makeChooser = (random: Random) => {
  const pick = <A>(all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)] as A
  const chance = (share: number): boolean => random() < share
  return { pick, chance, count: (most: number) => 1 + Math.floor(random() * most) }
}
type Chooser = ReturnType<typeof makeChooser>

/** Their order belongs to the seeds: another one makes other cases of them. */
const names = [
  ..."a.txt b.md src/c.ts src/deep/d.ts docs/e.md img/logo.png dist/f.js".split(" "),
  trackedFile,
  ..."closed/g.txt .env old/h.txt link folder-link nowhere out".split(" ")
]

/** Paths that are not there at first, and that changes lead to. */
const others = "new.txt src/new.ts lib/x.md docs src old lib img folder-link/c.ts link/x.txt typo.txt".split(" ")

const targets: Readonly<Record<string, ReadonlyArray<string>>> = {
  link: ["a.txt", "src/c.ts", "img/logo.png"],
  "folder-link": ["src", "docs"],
  nowhere: ["gone.txt"],
  out: ["/etc/hostname", "../outside"]
}

const lineOf = ({ pick }: Chooser, path: string, at: number): string => `${path} ${at} ${pick(words)} ${pick(words)}`

const entryAt = (chooser: Chooser, path: string): Entry => {
  const { chance, count, pick } = chooser
  const leads = targets[path]
  if (leads !== undefined) return { link: pick(leads) }
  if (path.endsWith(".png")) return { data: pick(pictures), coding: "bytes" }
  const text = `${Array.from({ length: count(4) }, (_, at) => lineOf(chooser, path, at)).join("\n")}\n`
  if (chance(0.1)) return file(`caf\u00e9 ${text}`, "latin1")
  return chance(0.08) ? file(text, "utf16le") : file(text)
}

export const randomTree = (chooser: Chooser): Tree => {
  const some = names.filter((name) => chooser.chance(name.includes("/") || targets[name] === undefined ? 0.6 : 0.35))
  return new Map([
    [".gitignore", file("dist\n")],
    ...some.map((name): [string, Entry] => [name, entryAt(chooser, name)])
  ])
}

const anyPath = ({ chance, pick }: Chooser, tree: Tree): string =>
  chance(0.75) ? pick([...tree.keys()]) : pick([...names, ...others])

/** A line that a file has, or one that none has. */
const lineIn = ({ chance, pick }: Chooser, tree: Tree, path: string): string => {
  const text = chance(0.15) ? undefined : textAt(tree, path)
  const lines = (text ?? "").split("\n").filter((line) => /^[ -~]+$/.test(line))
  return lines.length === 0 ? "zebra absent line" : pick(lines)
}

/** `tree` is the project as it will be when the changes before were made. */
export const randomWish = (chooser: Chooser, tree: Tree): Wish => {
  const { pick } = chooser
  const number = chooser.count(1_000_000)
  const path = anyPath(chooser, tree)
  const kind = pick(["edit", "edit", "edit", "write", "write", "move", "move", "remove", "remove", "replace"] as const)
  switch (kind) {
    case "edit":
      return { do: "edit", path, old: lineIn(chooser, tree, path), now: `edited ${number} ${pick(words)}` }
    case "write":
      return { do: "write", path, text: `written ${number} ${pick(words)}\n` }
    case "move":
      return { do: "move", path, to: pick([...others, ...names, "docs/", "lib/", "moved/"]) }
    case "remove":
      return {
        do: "remove",
        path: chooser.chance(0.2) ? pick(["src/", "old", "docs", "img/", "dist", "closed"]) : path
      }
    case "replace":
      return { do: "replace", old: pick([...words, "zebra"]), now: pick(["omega", "sigma"]) }
  }
}

/** A wish as a model writes it. */
export const wishText = (wish: Wish): string => {
  switch (wish.do) {
    case "edit":
      return `\`${wish.path}\`\n<<<<<<< OLD\n${wish.old}\n=======\n${wish.now}\n>>>>>>> NEW\n`
    case "write":
      return `\`${wish.path}\`\n\`\`\`md\n${wish.text}\`\`\`\n`
    case "move":
      return `${JSON.stringify({ move: wish.path, to: wish.to })}\n`
    case "remove":
      return `${JSON.stringify({ remove: wish.path })}\n`
    case "replace":
      return `${JSON.stringify({ replace: wish.old, with: wish.now })}\n`
  }
}
