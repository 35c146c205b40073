/**
 * What a plugin shares with the program: the copy of `effect` and of this package that the program itself uses, since values
 * of another copy do not work, even of the same version; and built-in objects, the current folder and the handlers of
 * errors that nobody caught, where a change is found, named, and put back.
 */
import type { EventEmitter } from "node:events"
import * as NodeModule from "node:module"
import { fileURLToPath } from "node:url"
import { moduleUrl } from "../files/PackageFolder.ts"

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

/**
 * Built-in modules with which Node itself replaces functions that all code shares, when they are loaded for the first time: the
 * internals of threads put their own `process.chdir` in place. Loaded before anything is recorded, so that a plugin which imports
 * one of them changes nothing.
 */
const replacing = ["worker_threads"]

let isLoaded = false

const loadReplacing = (): void => {
  if (isLoaded) return
  isLoaded = true
  for (const name of replacing) {
    const loaded = process.getBuiltinModule(name) as object | undefined
    /* Some of what a module exports is only made when it is looked at, as an import of it does. */
    if (loaded !== undefined) Object.values(loaded)
  }
}

/* Taken before any plugin runs: it could replace them. What follows the work of a plugin counts in loops, for the same reason. */
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

/**
 * What often used packages replace by functions that do the same, when they are imported: graceful-fs, and so fs-extra, those of the
 * folder, and source-map-support the text of a stack. They are put back, and no harm was done.
 */
const replacedAlike: ReadonlySet<string> = new Set(["process.cwd", "process.chdir", "Error.prepareStackTrace"])

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

/** A plugin whose module is about to be imported. */
interface SharingPlugin {
  readonly url: string
  /** Says whether a file, by real path, is one of the plugin's own; absent when it may import any file. */
  readonly isOwn?: (file: string) => boolean
}

/** The entry points of this package by the names under which they are imported. */
const entryPoints: Readonly<Record<string, string>> = {
  "task-conductor": "index",
  "task-conductor/check": "check",
  "task-conductor/plugin": "plugin-kit",
  "task-conductor/testing": "testing"
}

/** The module of this package that is imported under a name; nothing for other names. */
const moduleOf = (specifier: string): string | undefined =>
  entryPoints[specifier] ?? /^task-conductor\/(kit\/\w+)$/.exec(specifier)?.[1]

/** The modules that belong to plugins, by URL: those of the plugin itself, and of the packages that it imports. */
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
 * Makes this plugin, and all modules that it imports, use the modules of the program. Also prevents a plugin that is trusted by
 * its hash from importing files that the hash does not cover.
 */
export const shareModules = (plugin: SharingPlugin): void => {
  modules.set(plugin.url, plugin)
  if (isInstalled) return
  /* Taken from the module by its name: other runtimes import this file too, and have no such function. */
  NodeModule.registerHooks({ resolve })
  isInstalled = true
}
