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

/** The interfaces of the same file that an interface extends. */
const extendedBy = (file: string, [first = ""]: ReadonlyArray<string>): ReadonlyArray<Declared> =>
  (/ extends (.*) \{$/.exec(first)?.[1] ?? "")
    .split(/, (?![^<]*>)/)
    .flatMap((base) => /^\w+/.exec(base)?.[0] ?? [])
    .map((name) => ({ file, name }))

/** The members that have no text, also those that come from interfaces of the same file. */
const bareMembersOf = (one: Declared): ReadonlyArray<string> => {
  /* A class of errors has the members of its schema. */
  const shapes = partsOf(one).filter(({ lines: [first = ""] }) =>
    /^(?:export )?interface|: Schema\.Struct<\{$/.test(first)
  )
  return shapes.flatMap(({ lines }) =>
    bareMembers(lines)
      .map((name) => `${one.name}.${name}`)
      .concat(extendedBy(one.file, lines).flatMap(bareMembersOf))
  )
}

/** The names without a text, and `Name.member` for members of interfaces and schemas. */
export const undocumented = (declared: ReadonlyArray<Declared>): ReadonlyArray<string> =>
  [...new Map(declared.map((one) => [`${one.file} ${one.name}`, one])).values()].flatMap((one) => {
    const isDocumented = partsOf(one).some(({ before }) => endOfComment.test(before))
    return (isDocumented ? [] : [one.name]).concat(bareMembersOf(one))
  })

/** The examples in the texts of a file, as programs. */
export const examplesIn = (file: string): ReadonlyArray<string> =>
  [...readFileSync(file, "utf8").matchAll(/^( *)\* @example\n\1\* ```ts\n(.*?)\n\1\* ```/gms)].map(
    ([, indent = "", body = ""]) => body.replaceAll(new RegExp(`^${indent}\\* ?`, "gm"), "")
  )

/** The names whose text has no example. */
export const withoutExample = (declared: ReadonlyArray<Declared>): ReadonlyArray<string> =>
  declared
    .filter((one) => !partsOf(one).some(({ before }) => /@example(?:(?!\*\/).)*\*\/\s*$/s.test(before)))
    .map(({ name }) => name)
