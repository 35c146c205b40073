/**
 * Finds lines related to a change: uses of a changed declaration, and the other branches of a changed condition. The
 * language decides when a line that contains the name of a declaration counts as a use:
 * - Scripts and Python: the file of the line imports the name or the changed file.
 * - Other languages: the line is in the changed file, or no second file declares the name, and the file of the line does
 *   not import another declaration with this name. If the declaration is a member, the file must also mention the type of
 *   the member.
 */
import { memoize } from "effect/Function"
import { numberedRows, wholeChange } from "./ChangePreview.ts"
import { isTelling, type NamedText } from "./ChangedNames.ts"
import { codeLines } from "./CodeText.ts"
import {
  type Declaration,
  declarationsAround,
  declarationsOf,
  indentOf,
  isProgram,
  sourceLines,
  wordPattern
} from "./Declarations.ts"
import { hasImports, importsOf } from "./ImportedFiles.ts"
import { languageOf } from "./Language.ts"
import type { ProposedFile } from "./ProposedFile.ts"

/** A declaration that a change touches. `owner` is the type of a member, and `outer` the type around a nested type. */
export interface TouchedDeclaration {
  readonly path: string
  readonly name: string
  readonly owner: string | undefined
  readonly outer?: string | undefined
}

/** A related line, counted from 1, and how it is related to the change. */
export interface RelatedLine {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly relation: string
}

/**
 * The maximum number of files that may use a name. A name in more files than this is a common word, which says nothing
 * about the change.
 */
const mostUsers = 20
/** A name is not examined if more than this many files contain it. */
const mostHolders = 200

/** At most this many uses are examined in one file. */
const mostUses = 50
/** Declarations are looked up for at most this many changed lines. */
const mostChangedLines = 500
/** At most this many characters of files are read for one change. A name whose files exceed this limit is skipped. */
const mostCharacters = 4_000_000

/** Matches the first line of a declaration that has members. */
const typeHead =
  /^\s*(?:[\w@]+(?:\([^)]*\))?\s+)*?(?:class|interface|struct|trait|impl|enum|object|record|protocol|extension|module|namespace|mod|union|actor)\b/

/** Matches a module or namespace. Code can use its members without naming it. */
const spaceHead = /\b(?:module|namespace|mod)\b/

/**
 * These patterns match blank lines, comments, annotations and closing brackets. If only such lines of a declaration
 * change, the declaration does not count as changed.
 */
const besideCode = /^\s*(?:$|\/\/|\/?\*|#|--)/
const annotation = /^\s*@[\w.]+(?:\(.*\))?\s*$/
const closing = /^\s*[)\]}]+[;,]?\s*$/

/** Matches a method in Go, where the type of the receiver stands before the name of the method. */
const receiver = /^func\s+\([^)]*?\*?([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*\)/

/** The indexes of the lines that a change adds to the new text, or removes from the old text. */
const changedIndexes = ({ base, path, text }: ProposedFile, kind: "added" | "removed"): ReadonlyArray<number> =>
  numberedRows(wholeChange(path, base ?? undefined, text ?? "").diff).flatMap((row) =>
    row.kind === kind ? [(row.number ?? 1) - 1] : []
  )

/**
 * The innermost of the declarations around a line that other code can name. For a line in a nested function, this is
 * the outer function. For a line in a type, it is the member.
 */
const knownAround = (lines: ReadonlyArray<string>, all: ReadonlyArray<Declaration>, index: number) => {
  const around = declarationsAround(lines, all, index)
  const isType = ({ index: at }: Declaration): boolean => typeHead.test(lines[at] ?? "")
  const first = around.findIndex((declaration) => !isType(declaration))
  const nearest = first === -1 ? around.at(-1) : around[first]
  if (nearest === undefined) return undefined
  const owner = first > 0 ? around[first - 1]?.name : receiver.exec(lines[nearest.index] ?? "")?.[1]
  const outer = around.at(-2)
  const isNested = first === -1 && outer !== undefined && !spaceHead.test(lines[outer.index] ?? "")
  return { name: nearest.name, owner, ...(isNested ? { outer: outer.name } : {}) }
}

const knownIn = (path: string, text: string | null, indexes: ReadonlyArray<number>) => {
  const lines = sourceLines(text)
  const language = languageOf(path)
  const all = declarationsOf(lines, language)
  const code = codeLines(text ?? "", language)
  const isCode = (index: number): boolean => {
    const line = lines[index] ?? ""
    return (
      !annotation.test(line) && !closing.test(line) && !(besideCode.test(line) && (code[index] ?? "").trim() === "")
    )
  }
  return indexes.filter(isCode).flatMap((index) => knownAround(lines, all, index) ?? [])
}

const declaredIn = (path: string, text: string | null): ReadonlySet<string> =>
  new Set(declarationsOf(sourceLines(text), languageOf(path)).map(({ name }) => name))

/** The declarations that have changed lines. Declarations that the change removed are left out. */
export const changedDeclarations = (change: ProposedFile): ReadonlyArray<TouchedDeclaration> => {
  const { base, path, text } = change
  const after = declaredIn(path, text)
  const touched = [
    ...knownIn(path, text, changedIndexes(change, "added").slice(0, mostChangedLines)),
    ...knownIn(path, base, changedIndexes(change, "removed").slice(0, mostChangedLines))
  ].filter(({ name }) => after.has(name))
  return [...new Map(touched.map((known) => [`${known.owner} ${known.name}`, { path, ...known }])).values()]
}

export const touchedDeclarations = (change: ProposedFile): ReadonlyArray<TouchedDeclaration> => {
  const before = declaredIn(change.path, change.base)
  return changedDeclarations(change).filter(({ name }) => before.has(name))
}

/**
 * Matches import statements. In scripts, in Python and in Rust, a statement may span several lines. In other languages,
 * it must be on one line. Longer statements are ignored.
 */
const imports = new RegExp(
  [
    /(?:import\s+(?=\S)|export\s*(?:type\s*)?(?=[{*]))[^;"'`()]{0,4000}?\bfrom\s*["'][^"'\n]*["']/,
    /(?:const|let|var)\s*\{[^{};]{0,4000}\}\s*=\s*(?:await\s+)?(?:require|import)\s*\([^)\n]*\)/,
    /from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\((?:[^()#]|#[^\n]*\n){0,4000}\)|.*)/,
    /(?:pub\s+)?use\s+[\w:{*][\w:{},*\s]{0,4000};/,
    /(?:import|using|package|#include)\s+(?=\S)[^=()\n]*$/
  ]
    .map(({ source }) => `^[ \\t]*${source}`)
    .join("|"),
  "gm"
)

/** A text prepared for a search: its import statements, and the other code. */
interface SearchedCode extends NamedText {
  readonly statements: ReadonlyArray<string>
  readonly code: ReadonlyArray<string>
  /** True when the code contains this whole word. */
  readonly hasWord: (word: string) => boolean
  readonly declared: ReadonlySet<string>
  readonly importsFile: (path: string) => boolean
}

const searchedCode = ({ path, text }: NamedText): SearchedCode => {
  const code = codeLines(
    text.replace(imports, (part) => part.replace(/[^\n]/g, " ")),
    languageOf(path)
  )
  const joined = code.join("\n")
  return {
    path,
    text,
    statements: text.match(imports) ?? [],
    code,
    hasWord: (word) => holds(joined, word),
    declared: declaredIn(path, text),
    importsFile: hasImports(path) ? importsOf(path, text) : () => false
  }
}

const holds = (text: string, word: string): boolean => text.includes(word) && new RegExp(wordPattern(word)).test(text)

/** True for an import statement that may reach this file, directly or through another file of the project. */
const mayComeFrom = (statement: string, path: string): boolean => {
  const specifier = /["']([^"']*)["']\s*\)?$/.exec(statement)?.[1]
  if (specifier !== undefined) return /^[.@~#/]/.test(specifier)
  const [, dot = "", first = ""] = /^\s*from\s+(\.?)(\w*)/.exec(statement) ?? []
  return dot !== "" || path.split("/").includes(first)
}

/** An import statement without its module, so that only the imported names are left. */
const broughtBy = (statement: string): string => statement.replace(/["'][^"']*["']|^\s*from\s+[\w.]+\s+import\b/g, "")

/** Matches an import of a whole module, whose names are used as `module.name`. */
const whole = /\*\s*as\b|\brequire\s*\(/

/**
 * The package that a file declares, in languages like Java. `importedName` matches an import statement, and its first
 * group is the full name.
 */
const packageOf = (text: string): string | undefined => /^[ \t]*package[ \t]+([\w.]+)/m.exec(text)?.[1]
const importedName = /^\s*import\s+(?:static\s+)?([\w.]+?)(?:\s+as\s+(\w+))?\s*;?\s*$/

/** True when a file imports a declaration of this name from a package other than `home`. */
const importsAnother = ({ statements }: SearchedCode, name: string, home: string | undefined): boolean =>
  statements.some((statement) => {
    const [, full = "", alias = full.split(".").at(-1)] = importedName.exec(statement) ?? []
    return alias === name && full.includes(".") && home !== undefined && !full.startsWith(`${home}.`)
  })

/** True when the name, used in this file, can mean this declaration. `home` is the package of the declaration. */
const canMean = (file: SearchedCode, declaration: TouchedDeclaration, home: string | undefined): boolean => {
  const { name, outer, owner, path } = declaration
  if (file.path === path) return true
  const importable = owner ?? name
  if (!hasImports(file.path)) {
    const isNamed = (word: string): boolean => file.hasWord(word) || file.statements.some((part) => holds(part, word))
    return (
      !importsAnother(file, importable, home) && [owner, outer].every((word) => word === undefined || isNamed(word))
    )
  }
  if (file.statements.some((statement) => holds(broughtBy(statement), importable) && mayComeFrom(statement, path)))
    return true
  const isWhole = path.endsWith(".py") || whole.test(file.text)
  return isWhole && file.importsFile(path) && (owner === undefined || file.hasWord(owner))
}

/**
 * Matches a use of a name. A member must follow an object (`a.name`). Any other name must be neither a key nor the
 * target of an assignment.
 */
const used = (name: string, owner: string | undefined): RegExp => {
  const word = wordPattern(name)
  return owner === undefined
    ? new RegExp(`${word}(?!\\s*=(?![=>])|\\s*:(?!:))|(?<=:\\s*)${word}`)
    : new RegExp(`(?<=(?:\\.|->|::)\\s*)${word}`)
}

const usesIn = (
  file: SearchedCode,
  { name, owner, path }: TouchedDeclaration,
  isChanged: (line: number) => boolean
): ReadonlyArray<RelatedLine> => {
  if (!file.hasWord(name)) return []
  const pattern = used(name, owner)
  const lines = sourceLines(file.text)
  const all = file.path === path ? declarationsOf(lines, languageOf(path)) : []
  let looked = 0
  return file.code.flatMap((line, index) => {
    const at = looked < mostUses && line.includes(name) ? pattern.exec(line) : null
    if (at === null || isChanged(index + 1)) return []
    looked += 1
    if (declarationsAround(lines, all, index).some((declaration) => declaration.name === name)) return []
    const isCall = /^\s*(?:::)?(?:<[^()]*>)?!?\(/.test(line.slice(at.index + at[0].length))
    const text = (lines[index] ?? "").trim()
    return [{ path: file.path, line: index + 1, text, relation: `${isCall ? "calls" : "uses"} \`${name}\`` }]
  })
}

/**
 * The lines that use changed declarations. Lines in other files come first. `others` are the unchanged files of the
 * project.
 */
export const usersOf = (
  changed: ReadonlyArray<ProposedFile>,
  touched: ReadonlyArray<TouchedDeclaration>,
  others: ReadonlyArray<NamedText>
): ReadonlyArray<RelatedLine> => {
  const added = new Map(changed.map((change) => [change.path, new Set(changedIndexes(change, "added"))]))
  const own = changed.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]))
  const texts = [...others, ...own].filter(({ path }) => isProgram(languageOf(path)))
  const read = memoize(searchedCode)
  const files = new Set<NamedText>()
  let characters = 0
  return touched.flatMap((declaration) => {
    const { name, path } = declaration
    const holders = texts.filter((file) => hasImports(file.path) === hasImports(path) && file.text.includes(name))
    const unread = holders.filter((file) => !files.has(file))
    const more = unread.reduce((sum, { text }) => sum + text.length, 0)
    if (holders.length > mostHolders || characters + more > mostCharacters) return []
    for (const file of unread) files.add(file)
    characters += more
    const family = holders.map(read)
    const elsewhere = family.filter((file) => file.path !== path && file.declared.has(name))
    if (!hasImports(path) && !isTelling(name)) return []
    const isClear = hasImports(path) || elsewhere.length === 0
    const home = packageOf(family.find((file) => file.path === path)?.text ?? "")
    const users = family
      .filter((file) => (isClear ? !elsewhere.includes(file) && canMean(file, declaration, home) : file.path === path))
      .map((file) => usesIn(file, declaration, (line) => added.get(file.path)?.has(line - 1) === true))
      .filter((uses) => uses.length > 0)
    return users.length > mostUsers ? [] : users.flat()
  })
}

/** Matches the first line of a branch. A branch is a case, or a part of a condition. */
const branchHead =
  /^\s*(?:case\b.*(?::|->|=>)|(?:default|_)\s*(?::|->|=>)|(?:\}\s*)?(?:else|elseif|elsif|elif)\b|when\b|if\b|unless\b)/
/** Branches without a keyword. */
const arms: Readonly<Record<string, RegExp>> = { rust: /^\s*[^=]+=>/, kotlin: /^\s*(?!.*\bfun\b)[^{}=]+->/ }
const beginsCondition = /^\s*(?:if\b|unless\b)/

interface BranchLine {
  readonly depth: number
  readonly isBlank: boolean
  readonly isHead: boolean
  readonly beginsCondition: boolean
  /** The index of the first line of the enclosing branch; undefined outside a branch. */
  readonly head: number | undefined
}

const branchLines = (code: ReadonlyArray<string>, language: string): ReadonlyArray<BranchLine> => {
  /*
   * The lines that enclose the current line, the outermost first. Each line is indented more than the line before it.
   */
  const around: Array<BranchLine> = []
  return code.map((text, index) => {
    const isBlank = text.trim() === ""
    const depth = indentOf(text)
    if (isBlank) {
      const above = around.findLast((line) => line.depth <= depth)
      return { depth, isBlank, isHead: false, beginsCondition: false, head: above?.head }
    }
    while ((around.at(-1)?.depth ?? -1) >= depth) around.pop()
    const isHead = branchHead.test(text) || arms[language]?.test(text) === true
    const head = isHead ? index : around.at(-1)?.head
    const line = { depth, isBlank, isHead, beginsCondition: beginsCondition.test(text), head }
    around.push(line)
    return line
  })
}

/** The indexes of the first lines of all branches of a condition. `head` is one of them. */
const branchesOf = (
  code: ReadonlyArray<string>,
  lines: ReadonlyArray<BranchLine>,
  head: number
): ReadonlyArray<number> => {
  const depth = lines[head]?.depth ?? 0
  const heads = [head]
  const walk = (step: 1 | -1): void => {
    for (let at = head + step; at >= 0 && at < lines.length; at += step) {
      const line = lines[at]
      if (line === undefined || line.isBlank) continue
      if (line.depth < depth) return
      if (line.depth > depth || /^\s*[)\]}]+[;,]?\s*$/.test(code[at] ?? "")) continue
      if (!line.isHead || (step === 1 && line.beginsCondition)) return
      heads.push(at)
      if (step === -1 && line.beginsCondition) return
    }
  }
  if (lines[head]?.beginsCondition !== true) walk(-1)
  walk(1)
  return heads
}

/** For each of `count` lines, the distance to the nearest of these indexes. */
const distancesTo = (indexes: ReadonlyArray<number>, count: number): ReadonlyArray<number> => {
  const distances = Array.from<number>({ length: count }).fill(Number.POSITIVE_INFINITY)
  for (const index of indexes) distances[index] = 0
  const relax = (at: number, beside: number): void => {
    distances[at] = Math.min(distances[at] ?? 0, (distances[beside] ?? Number.POSITIVE_INFINITY) + 1)
  }
  for (let at = 1; at < count; at += 1) relax(at, at - 1)
  for (let at = count - 2; at >= 0; at -= 1) relax(at, at + 1)
  return distances
}

/** If one branch of a condition changed: the other branches of that condition, the nearest first. */
export const otherBranches = (change: ProposedFile): ReadonlyArray<RelatedLine> => {
  const { path, text } = change
  const language = languageOf(path)
  const lines = sourceLines(text)
  const code = codeLines(text ?? "", language)
  const branches = branchLines(code, language)
  const added = changedIndexes(change, "added")
  const distances = distancesTo(added, code.length)
  const holdsChange = (head: number): boolean => {
    const depth = branches[head]?.depth ?? 0
    for (let at = head; at < branches.length; at += 1) {
      const line = branches[at]
      if (at > head && line?.isBlank === false && line.depth <= depth) return false
      if (distances[at] === 0) return true
    }
    return false
  }
  const heads = new Set<number>()
  for (const index of added) {
    const head = branches[index]?.head
    if (head !== undefined && !heads.has(head)) for (const beside of branchesOf(code, branches, head)) heads.add(beside)
  }
  return [...heads]
    .filter((head) => !holdsChange(head))
    .toSorted((a, b) => (distances[a] ?? 0) - (distances[b] ?? 0))
    .map((head) => ({ path, line: head + 1, text: (lines[head] ?? "").trim(), relation: "another branch" }))
}
