/**
 * Lines of code that have to do with a change by the code's own relations: what calls or uses a declaration that the change touches, and
 * the other branches of a condition in which it lies. A word alone is no relation: in scripts and in Python a file must import the
 * name or the file that declares it; elsewhere the name must be declared once, and a member stands with its type.
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

/** A declaration that a change touches; `owner` is the type of a member. */
export interface TouchedDeclaration {
  readonly path: string
  readonly name: string
  readonly owner: string | undefined
}

/** A line that has to do with a change, counted from 1, and how. */
export interface RelatedLine {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly relation: string
}

/** A name that more files use is a word of the project, and says nothing about a change. */
const mostUsers = 20
/** A word that more files hold is not looked at in any of them. */
const mostHolders = 200

/** Declarations with members. */
const typeHead =
  /^\s*(?:[\w@]+(?:\([^)]*\))?\s+)*?(?:class|interface|struct|trait|impl|enum|object|record|protocol|extension|module|namespace|mod|union|actor)\b/

/** The type of a method of Go stands before its name. */
const receiver = /^func\s+\([^)]*?\*?([A-Za-z_]\w*)(?:\[[^\]]*\])?\s*\)/

/** The indexes of the lines that a change adds to the new text, or takes from the old one. */
const changedIndexes = ({ base, path, text }: ProposedFile, kind: "added" | "removed"): ReadonlyArray<number> =>
  numberedRows(wholeChange(path, base ?? undefined, text ?? "").diff).flatMap((row) =>
    row.kind === kind ? [(row.number ?? 1) - 1] : []
  )

/** The declaration that others know around a line: a function within a function is a part of it, a member is not. */
const knownAround = (lines: ReadonlyArray<string>, all: ReadonlyArray<Declaration>, index: number) => {
  const around = declarationsAround(lines, all, index)
  const isType = ({ index: at }: Declaration): boolean => typeHead.test(lines[at] ?? "")
  const first = around.findIndex((declaration) => !isType(declaration))
  const known = first === -1 ? around.at(-1) : around[first]
  if (known === undefined) return undefined
  const owner = first > 0 ? around[first - 1]?.name : receiver.exec(lines[known.index] ?? "")?.[1]
  return { name: known.name, owner }
}

const knownIn = (path: string, text: string | null, indexes: ReadonlyArray<number>) => {
  const lines = sourceLines(text)
  const all = declarationsOf(lines, languageOf(path))
  return indexes.flatMap((index) => knownAround(lines, all, index) ?? [])
}

const declaredIn = (path: string, text: string | null): ReadonlySet<string> =>
  new Set(declarationsOf(sourceLines(text), languageOf(path)).map(({ name }) => name))

/** The declarations, there before and after, in which lines change. */
export const touchedDeclarations = (change: ProposedFile): ReadonlyArray<TouchedDeclaration> => {
  const { base, path, text } = change
  const [before, after] = [declaredIn(path, base), declaredIn(path, text)]
  const touched = [
    ...knownIn(path, text, changedIndexes(change, "added")),
    ...knownIn(path, base, changedIndexes(change, "removed"))
  ].filter(({ name }) => before.has(name) && after.has(name))
  return [...new Map(touched.map((known) => [`${known.owner} ${known.name}`, { path, ...known }])).values()]
}

/** Statements that bring names into a file: of scripts, of Python, of Rust, and in one line of others. */
const imports = new RegExp(
  [
    /(?:import\s+|export\s*(?:type\s*)?(?=[{*]))[^;"'`()]{0,4000}?\bfrom\s*["'][^"'\n]*["']/,
    /(?:const|let|var)\s*\{[^}]*\}\s*=\s*(?:await\s+)?(?:require|import)\s*\([^)\n]*\)/,
    /from[ \t]+[\w.]+[ \t]+import[ \t]+(?:\([^)]*\)|.*)/,
    /(?:pub\s+)?use\s+[\w:{},*\s]+;/,
    /(?:import|using|package|#include)\s+[^=()\n]*$/
  ]
    .map(({ source }) => `^[ \\t]*${source}`)
    .join("|"),
  "gm"
)

/** A text as it is searched: its statements of import, and its lines of code without them. */
interface SearchedCode extends NamedText {
  readonly statements: ReadonlyArray<string>
  readonly code: ReadonlyArray<string>
  readonly declared: ReadonlySet<string>
  readonly importsFile: (path: string) => boolean
}

const searchedCode = ({ path, text }: NamedText): SearchedCode => ({
  path,
  text,
  statements: text.match(imports) ?? [],
  code: codeLines(
    text.replace(imports, (part) => part.replace(/[^\n]/g, " ")),
    languageOf(path)
  ),
  declared: declaredIn(path, text),
  importsFile: hasImports(path) ? importsOf(path, text) : () => false
})

const holds = (text: string, word: string): boolean => new RegExp(wordPattern(word)).test(text)

/** True for a statement that may bring something from this file, also by way of another file of the project. */
const mayComeFrom = (statement: string, path: string): boolean => {
  const specifier = /["']([^"']*)["']\s*\)?$/.exec(statement)?.[1]
  if (specifier !== undefined) return /^[.@~#/]/.test(specifier)
  const [, dot = "", first = ""] = /^\s*from\s+(\.?)(\w*)/.exec(statement) ?? []
  return dot !== "" || path.split("/").includes(first)
}

/** The part of a statement with the names that it brings. */
const broughtBy = (statement: string): string => statement.replace(/["'][^"']*["']|^\s*from\s+[\w.]+\s+import\b/g, "")

/** An import of all that a file has, so that its names stand behind that of the file. */
const whole = /\*\s*as\b|\brequire\s*\(/

/** True when a file can mean this declaration by its name. */
const canMean = (file: SearchedCode, { name, owner, path }: TouchedDeclaration): boolean => {
  if (file.path === path) return true
  const inCode = (word: string): boolean => file.code.some((line) => holds(line, word))
  if (!hasImports(file.path)) return owner === undefined || inCode(owner)
  const known = owner ?? name
  if (file.statements.some((statement) => holds(broughtBy(statement), known) && mayComeFrom(statement, path)))
    return true
  const isWhole = path.endsWith(".py") || whole.test(file.text)
  return isWhole && file.importsFile(path) && (owner === undefined || inCode(owner))
}

/** How a name is used: a member behind its object, another name not as a key and not where it is declared anew. */
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
  const pattern = used(name, owner)
  const lines = sourceLines(file.text)
  const all = file.path === path ? declarationsOf(lines, languageOf(path)) : []
  return file.code.flatMap((line, index) => {
    const at = pattern.exec(line)
    if (at === null || isChanged(index + 1)) return []
    if (declarationsAround(lines, all, index).some((declaration) => declaration.name === name)) return []
    const isCall = /^\s*(?:::)?(?:<[^()]*>)?!?\(/.test(line.slice(at.index + at[0].length))
    const text = (lines[index] ?? "").trim()
    return [{ path: file.path, line: index + 1, text, relation: `${isCall ? "calls" : "uses"} \`${name}\`` }]
  })
}

/** Lines that call or use what changes touch, those of other files first; `others` are further texts of the project. */
export const usersOf = (
  changed: ReadonlyArray<ProposedFile>,
  touched: ReadonlyArray<TouchedDeclaration>,
  others: ReadonlyArray<NamedText>
): ReadonlyArray<RelatedLine> => {
  const added = new Map(changed.map((change) => [change.path, new Set(changedIndexes(change, "added"))]))
  const own = changed.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]))
  const texts = [...others, ...own].filter(({ path }) => isProgram(languageOf(path)))
  const read = memoize(searchedCode)
  return touched.flatMap((declaration) => {
    const { name, path } = declaration
    const holders = texts.filter((file) => hasImports(file.path) === hasImports(path) && file.text.includes(name))
    if (holders.length > mostHolders) return []
    const family = holders.map(read)
    const elsewhere = family.filter((file) => file.path !== path && file.declared.has(name))
    if (!hasImports(path) && (elsewhere.length > 0 || !isTelling(name))) return []
    const users = family
      .filter((file) => !elsewhere.includes(file) && canMean(file, declaration))
      .map((file) => usesIn(file, declaration, (line) => added.get(file.path)?.has(line - 1) === true))
      .filter((uses) => uses.length > 0)
    return users.length > mostUsers ? [] : users.flat()
  })
}

/** The head of a branch: a case, or a part of a condition. */
const branchHead =
  /^\s*(?:case\b.*(?::|->|=>)|(?:default|_)\s*(?::|->|=>)|(?:\}\s*)?(?:else|elseif|elsif|elif)\b|when\b|if\b|unless\b)/
/** Arms without a word of their own. */
const arms: Readonly<Record<string, RegExp>> = { rust: /^\s*[^=]+=>/, kotlin: /^\s*(?!.*\bfun\b)[^{}=]+->/ }
const beginsCondition = /^\s*(?:if\b|unless\b)/

/** The indexes of the heads of the branches beside the one in which a line stands; none when it stands in none. */
const branchesBeside = (code: ReadonlyArray<string>, language: string, index: number): ReadonlyArray<number> => {
  const isHead = (at: number): boolean =>
    branchHead.test(code[at] ?? "") || arms[language]?.test(code[at] ?? "") === true
  const depthOf = (at: number): number => indentOf(code[at] ?? "")
  const isBlank = (at: number): boolean => (code[at] ?? "").trim() === ""
  let head = index
  for (let depth = depthOf(index) + 1; head >= 0; head -= 1) {
    if (isBlank(head) || depthOf(head) >= depth) continue
    if (isHead(head)) break
    depth = depthOf(head)
    if (depth === 0) return []
  }
  if (head < 0) return []
  const depth = depthOf(head)
  const heads: Array<number> = []
  const walk = (step: 1 | -1): void => {
    for (let at = head + step; at >= 0 && at < code.length; at += step) {
      if (isBlank(at)) continue
      if (depthOf(at) < depth) return
      if (depthOf(at) > depth || /^\s*[)\]}]+[;,]?\s*$/.test(code[at] ?? "")) continue
      if (!isHead(at) || (step === 1 && beginsCondition.test(code[at] ?? ""))) return
      heads.push(at)
      if (step === -1 && beginsCondition.test(code[at] ?? "")) return
    }
  }
  if (!beginsCondition.test(code[head] ?? "")) walk(-1)
  walk(1)
  return heads
}

/** The other branches of the conditions in which a change lies, the nearest first. */
export const otherBranches = (change: ProposedFile): ReadonlyArray<RelatedLine> => {
  const { path, text } = change
  const language = languageOf(path)
  const lines = sourceLines(text)
  const code = codeLines(text ?? "", language)
  const added = changedIndexes(change, "added")
  const isInside = (head: number): boolean => {
    const depth = indentOf(code[head] ?? "")
    const end = code.findIndex((line, at) => at > head && line.trim() !== "" && indentOf(line) <= depth)
    return added.some((index) => index >= head && (end === -1 || index < end))
  }
  const distanceOf = (head: number): number => Math.min(...added.map((index) => Math.abs(index - head)))
  const heads = new Set(added.flatMap((index) => branchesBeside(code, language, index)))
  return [...heads]
    .filter((head) => !isInside(head))
    .toSorted((a, b) => distanceOf(a) - distanceOf(b))
    .map((head) => ({ path, line: head + 1, text: (lines[head] ?? "").trim(), relation: "another branch" }))
}
