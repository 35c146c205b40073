/**
 * What all code of the process shares, and a plugin can break for everybody: built-in objects, the current folder, and
 * the handlers of errors that nobody caught. A change is found, named, and put back.
 */
import type { EventEmitter } from "node:events"

const constructors = [Object, Array, String, Number, Function, Promise, Map, Set, RegExp, Error, Date]
const names = ["JSON", "Math", "Reflect", "setTimeout", "clearTimeout", "setImmediate", "queueMicrotask", "process"]
const globalNames: ReadonlyArray<string> = [...constructors.map(({ name }) => name), ...names]

/** What of `process` the program relies on. */
const ofProcess: ReadonlyArray<PropertyKey> = ["exit", "kill", "abort", "chdir", "cwd", "nextTick", "hrtime"]

const shared: ReadonlyArray<readonly [name: string, value: object, keys?: ReadonlyArray<PropertyKey>]> = [
  ...constructors.map((one) => [one.name, one] as const),
  ...constructors.map((one) => [`${one.name}.prototype`, one.prototype as object] as const),
  ["Symbol", Symbol],
  ["JSON", JSON],
  ["Math", Math],
  ["Reflect", Reflect],
  ["globalThis", globalThis, globalNames],
  ["process", process, ofProcess]
]

/* Taken before any plugin runs: it could replace them. What follows the work of a plugin counts in loops, for the same reason. */
const { defineProperty, deleteProperty, getOwnPropertyDescriptor, ownKeys } = Reflect
const { is } = Object
const { chdir, cwd } = process
const emitter: EventEmitter = process
const listenersOf = emitter.listeners.bind(emitter)
const removeListener = emitter.removeListener.bind(emitter)
const events = ["uncaughtException", "unhandledRejection", "uncaughtExceptionMonitor"] as const

interface Property {
  readonly key: PropertyKey
  readonly was: PropertyDescriptor
}

interface Part {
  readonly name: string
  readonly value: object
  readonly properties: ReadonlyArray<Property>
  /** True where a new property that loops see is a change as well. */
  readonly isClosed: boolean
}

const partOf = ([name, value, keys = ownKeys(value)]: (typeof shared)[number]): Part => ({
  name,
  value,
  isClosed: name.endsWith("prototype"),
  properties: keys.flatMap((key) => {
    const was = getOwnPropertyDescriptor(value, key)
    return was === undefined ? [] : [{ key, was }]
  })
})

const differs = (was: PropertyDescriptor, now: PropertyDescriptor | undefined): boolean =>
  ((typeof was.value === "function" || typeof was.value === "object") && !is(was.value, now?.value)) ||
  was.get !== now?.get

const isKnown = ({ properties }: Part, key: PropertyKey): boolean => {
  for (let index = 0; index < properties.length; index += 1) if (properties[index]?.key === key) return true
  return false
}

const nameOf = (part: Part, key: PropertyKey): string =>
  `${part.name}.${typeof key === "symbol" ? `[${key.description ?? ""}]` : key}`

/** Puts back what changed in one part; gives the name of the first change. */
const repairPart = (part: Part): string | undefined => {
  const { isClosed, properties, value } = part
  let first: string | undefined
  for (let index = 0; index < properties.length; index += 1) {
    const property = properties[index]
    if (property === undefined || !differs(property.was, getOwnPropertyDescriptor(value, property.key))) continue
    first ??= nameOf(part, property.key)
    defineProperty(value, property.key, property.was)
  }
  if (!isClosed) return first
  const keys = ownKeys(value)
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? ""
    if (getOwnPropertyDescriptor(value, key)?.enumerable !== true || isKnown(part, key)) continue
    first ??= nameOf(part, key)
    deleteProperty(value, key)
  }
  return first
}

/** Removes handlers of an event that were added since. */
const repairHandlers = (event: (typeof events)[number], before: ReadonlyArray<unknown>): string | undefined => {
  const now: ReadonlyArray<unknown> = listenersOf(event)
  let first: string | undefined
  for (let index = 0; index < now.length; index += 1) {
    const listener = now[index]
    if (before.includes(listener)) continue
    first ??= `the handlers of ${event}`
    removeListener(event, listener as () => void)
  }
  return first
}

/**
 * Records what is shared now. The function puts back everything that has changed since, as far as the engine lets it, and
 * gives the name of the first thing; new methods that no loop sees are allowed.
 */
export const watchSharedState = (): (() => string | undefined) => {
  const parts = shared.map(partOf)
  const folder = cwd()
  const handlers = events.map((event) => ({ event, before: listenersOf(event) as ReadonlyArray<unknown> }))
  return () => {
    let first: string | undefined
    for (let index = 0; index < parts.length; index += 1) {
      const part = parts[index]
      const name = part === undefined ? undefined : repairPart(part)
      first ??= name
    }
    for (const { before, event } of handlers) {
      const name = repairHandlers(event, before)
      first ??= name
    }
    if (cwd() === folder) return first
    chdir(folder)
    return first ?? "the current folder"
  }
}
