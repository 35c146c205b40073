/**
 * Finds what the published declarations export without a text that editors show: names, and members of interfaces.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"

/** A declaration with the file that has it. */
interface Declared {
  readonly file: string
  readonly name: string
}

const namesIn = (list: string): ReadonlyArray<{ readonly from: string; readonly name: string }> =>
  list.split(",").flatMap((part) => {
    const [from = "", name = from] = part
      .replace(/^\s*type\s/, "")
      .trim()
      .split(/\s+as\s+/)
    return from === "" ? [] : [{ from, name }]
  })

/** What a module exports, each name where it is declared. */
export const exportsOf = (file: string): ReadonlyArray<Declared> => {
  const text = readFileSync(file, "utf8")
  const lists = text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from "([^"]+)")?;?$/gm)
  const named = [...lists].flatMap(([, list = "", from]) =>
    namesIn(list).flatMap((one): ReadonlyArray<Declared> => {
      if (from === undefined) return [{ file, name: one.from }]
      const target = join(dirname(file), from.replace(/\.ts$/, ".d.ts"))
      return exportsOf(target).filter(({ name }) => name === one.from)
    })
  )
  const own = text.matchAll(/^export (?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+)/gm)
  return [...named, ...[...own].map(([, name = ""]) => ({ file, name }))]
}

const endOfComment = /\*\/\s*$/

/** The declaration of a name with what is before it. */
const partsOf = ({ file, name }: Declared) => {
  const text = readFileSync(file, "utf8")
  const start = new RegExp(`^(?:export )?(?:declare )?(?:const|function|class|interface|type) ${name}\\b`, "gm")
  return [...text.matchAll(start)].map(({ index }) => {
    const lines = text.slice(index).split("\n")
    const end = lines.findIndex((line, at) => at > 0 && /^[})]/.test(line))
    return { before: text.slice(0, index), lines: lines.slice(0, end === -1 ? 1 : end) }
  })
}

const member = /^ {4}(?:readonly )?["']?([\w$]+)["']?[?]?(?:<[^>]*>)?[:(]/

/** The members of a declaration in the first level, of which none is documented. */
const bareMembers = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line, at) => {
    const name = at === 0 ? undefined : member.exec(line)?.[1]
    return name === undefined || endOfComment.test(lines[at - 1] ?? "") ? [] : [name]
  })

/** The names without a text, and `Name.member` for members of interfaces and schemas. */
export const undocumented = (declared: ReadonlyArray<Declared>): ReadonlyArray<string> =>
  [...new Map(declared.map((one) => [`${one.file} ${one.name}`, one])).values()].flatMap((one) => {
    const parts = partsOf(one)
    const isDocumented = parts.some(({ before }) => endOfComment.test(before))
    /* A class of errors has the members of its schema. */
    const shapes = parts.filter(({ lines: [first = ""] }) => /^export interface|: Schema\.Struct<\{$/.test(first))
    const members = shapes.flatMap(({ lines }) => bareMembers(lines)).map((name) => `${one.name}.${name}`)
    return isDocumented ? members : [one.name].concat(members)
  })
