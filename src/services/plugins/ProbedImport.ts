/**
 * The program of the child process in which a plugin is imported first: `node ProbedImport URL`. What would hang, end or
 * damage the host does so here instead. Reports once, to the parent process.
 */
import * as Cause from "effect/Cause"
import { causeText } from "./ForeignCode.ts"
import { shareModules } from "./SharedModules.ts"

/** The report to the parent; there is none when the plugin ended the child. */
export interface ProbeReport {
  /** What is wrong, as the end of a sentence; absent when the import succeeded. */
  readonly problem?: string
}

const constructors = [Object, Array, String, Number, Function, Promise, Map, Set, RegExp, Error, Date]
const shared: Readonly<Record<string, object>> = {
  ...Object.fromEntries(constructors.map((one) => [one.name, one])),
  ...Object.fromEntries(constructors.map((one) => [`${one.name}.prototype`, one.prototype as object])),
  Symbol,
  JSON,
  Math,
  Reflect
}

const { entries, getOwnPropertyDescriptors, hasOwn, is } = Object

/** Records the shared built-in objects; the function names one that has changed since. New methods are allowed. */
const watchBuiltIns = (): (() => string | undefined) => {
  const before = entries(shared).map(([name, value]) => ({ name, value, properties: getOwnPropertyDescriptors(value) }))
  return () => {
    for (const { name, properties, value } of before) {
      const now = getOwnPropertyDescriptors(value) as Readonly<Record<PropertyKey, PropertyDescriptor | undefined>>
      for (const [key, was] of entries(properties as Readonly<Record<string, PropertyDescriptor>>)) {
        if (typeof was.value === "function" && !is(was.value, now[key]?.value)) return `${name}.${key}`
        if (was.get !== now[key]?.get) return `${name}.${key}`
      }
      const added = entries(now).find(([key, property]) => property?.enumerable === true && !hasOwn(properties, key))
      if (name.endsWith("prototype") && added !== undefined) return `${name}.${added[0]}`
    }
    return undefined
  }
}

const probe = async (url: string): Promise<ProbeReport> => {
  const changed = watchBuiltIns()
  shareModules({ url })
  try {
    await import(url)
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ERR_ACCESS_DENIED") {
      return { problem: "it writes a file or starts a program while it is imported. Do that in `tools` or in a tool" }
    }
    return { problem: causeText(Cause.die(thrown)) }
  }
  const name = changed()
  return name === undefined ? {} : { problem: `it changes ${name}, which all code in the program shares` }
}

const [url = ""] = process.argv.slice(2)
const report = await probe(url)
process.send?.(report, () => process.exit(0))
