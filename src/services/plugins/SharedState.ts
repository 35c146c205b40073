/**
 * Makes plugins use the program's copy of `effect` and of this package, because values of another copy do not work.
 * Also finds, names and undoes changes of built-in objects, the current folder and handlers of uncaught errors.
 */
import type { EventEmitter } from "node:events"
import * as NodeModule from "node:module"
import { fileURLToPath } from "node:url"
import { moduleUrl } from "../files/PackageFolder.ts"

const constructors = [Object, Array, String, Number, Function, Promise, Map, Set, RegExp, Error, Date]
const names = ["JSON", "Math", "Reflect", "setTimeout", "clearTimeout", "setImmediate", "queueMicrotask", "process"]
const globalNames: ReadonlyArray<string> = [...constructors.map(({ name }) => name), ...names]

/** Functions of `process` that the program relies on. */
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

/**
 * Built-in modules that replace shared functions when Node first loads them: `worker_threads` replaces `process.chdir`.
 * They are loaded before the state is recorded, so that a later import changes nothing.
 */
const replacing = ["worker_threads"]

let isLoaded = false

const loadReplacing = (): void => {
  if (isLoaded) return
  isLoaded = true
  for (const name of replacing) {
    const loaded = process.getBuiltinModule(name) as object | undefined
    /** Reads all exports, because some are only created when they are first read. */
    if (loaded !== undefined) Object.values(loaded)
  }
}

/**
 * These functions are saved before any plugin runs, because a plugin could replace them. For the same reason, code that
 * runs after a plugin uses loops with an index.
 */
const { defineProperty, deleteProperty, getOwnPropertyDescriptor, ownKeys } = Reflect
const { is } = Object
const { cwd } = process
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
  /** True if a new enumerable property counts as a change of the object. */
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

/**
 * Functions that common packages, such as graceful-fs, replace with functions that behave alike. They are restored
 * without a report.
 */
const replacedAlike: ReadonlySet<string> = new Set(["process.cwd", "process.chdir", "Error.prepareStackTrace"])

const isKnown = ({ properties }: Part, key: PropertyKey): boolean => {
  for (let index = 0; index < properties.length; index += 1) if (properties[index]?.key === key) return true
  return false
}

const nameOf = (part: Part, key: PropertyKey): string =>
  `${part.name}.${typeof key === "symbol" ? `[${key.description ?? ""}]` : key}`

/** Restores one object. Returns the name of its first change. */
const repairPart = (part: Part): string | undefined => {
  const { isClosed, properties, value } = part
  let first: string | undefined
  for (let index = 0; index < properties.length; index += 1) {
    const property = properties[index]
    if (property === undefined || !differs(property.was, getOwnPropertyDescriptor(value, property.key))) continue
    defineProperty(value, property.key, property.was)
    const name = nameOf(part, property.key)
    if (first === undefined && !replacedAlike.has(name)) first = name
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

/** Removes event handlers that a plugin added. */
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
 * Records the shared state. The returned function undoes later changes as far as possible, and returns the name of the
 * first change. New properties that are not enumerable are allowed.
 */
export const watchSharedState = (): (() => string | undefined) => {
  loadReplacing()
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
    process.chdir(folder)
    return first ?? "the current folder"
  }
}

/** A plugin whose module will be imported. */
interface SharingPlugin {
  readonly url: string
  /** True for a file of the plugin itself, by its real path. Absent if the plugin may import any file. */
  readonly isOwn?: (file: string) => boolean
}

/** The modules of this package that plugins can import, by the names in their imports. */
const entryPoints: Readonly<Record<string, string>> = {
  "task-conductor": "index",
  "task-conductor/check": "check",
  "task-conductor/plugin": "plugin-kit",
  "task-conductor/testing": "testing"
}

/** The module of this package for an import name; undefined for other names. */
const moduleOf = (specifier: string): string | undefined =>
  entryPoints[specifier] ?? /^task-conductor\/(kit\/\w+)$/.exec(specifier)?.[1]

/** The modules of plugins, and of packages that they import, by URL. */
const modules = new Map<string, SharingPlugin>()

const isEffect = (specifier: string): boolean => specifier === "effect" || specifier.startsWith("effect/")
const isPath = (specifier: string): boolean => /^(?:\.{0,2}\/|[a-zA-Z]:|file:)/.test(specifier)

const resolve: NodeModule.ResolveHookSync = (specifier, context, next) => {
  const plugin = context.parentURL === undefined ? undefined : modules.get(context.parentURL)
  if (plugin === undefined) return next(specifier, context)
  const entryPoint = moduleOf(specifier)
  if (entryPoint !== undefined) return { url: moduleUrl(entryPoint).href, shortCircuit: true }
  if (isEffect(specifier)) return next(specifier, { ...context, parentURL: import.meta.url })
  const resolved = next(specifier, context)
  if (!resolved.url.startsWith("file:")) return resolved
  const isOwn = plugin.isOwn?.(fileURLToPath(resolved.url)) ?? true
  if (!isOwn && isPath(specifier)) {
    throw new Error(`it imports ${specifier}, which is not a file of the plugin, so nobody was asked about it`)
  }
  if (!modules.has(resolved.url)) modules.set(resolved.url, isOwn ? plugin : { url: resolved.url })
  return resolved
}

let isInstalled = false

/**
 * Makes this plugin and its imports use the program's modules. A plugin that is trusted by a hash cannot import files
 * that the hash does not cover.
 */
export const shareModules = (plugin: SharingPlugin): void => {
  modules.set(plugin.url, plugin)
  if (isInstalled) return
  /** `registerHooks` is not a named import, because other runtimes that import this file may lack the function. */
  NodeModule.registerHooks({ resolve })
  isInstalled = true
}
