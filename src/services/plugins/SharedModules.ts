/**
 * Gives all plugins the copy of `effect` and of this package that the program itself uses: values of another copy do
 * not work, even of the same version. Other modules of the process resolve as usual. It also prevents a plugin
 * that is trusted by its hash from importing files that the hash does not cover.
 */
import { registerHooks, type ResolveHookSync } from "node:module"
import { fileURLToPath } from "node:url"
import { moduleUrl } from "../files/PackageFolder.ts"

/** A plugin whose module is about to be imported. */
export interface SharingPlugin {
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

/** The modules that belong to plugins, by URL: those of the plugin itself, and of the packages that it imports. */
const modules = new Map<string, SharingPlugin>()

const isEffect = (specifier: string): boolean => specifier === "effect" || specifier.startsWith("effect/")
const isPath = (specifier: string): boolean => /^(?:\.{0,2}\/|[a-zA-Z]:|file:)/.test(specifier)

const resolve: ResolveHookSync = (specifier, context, next) => {
  const plugin = context.parentURL === undefined ? undefined : modules.get(context.parentURL)
  if (plugin === undefined) return next(specifier, context)
  const entryPoint = entryPoints[specifier]
  if (entryPoint !== undefined) return { url: moduleUrl(entryPoint).href, shortCircuit: true }
  if (isEffect(specifier)) return next(specifier, { ...context, parentURL: import.meta.url })
  const found = next(specifier, context)
  if (!found.url.startsWith("file:")) return found
  const isOwn = plugin.isOwn?.(fileURLToPath(found.url)) ?? true
  if (!isOwn && isPath(specifier)) {
    throw new Error(`it imports ${specifier}, which is not a file of the plugin, so nobody was asked about it`)
  }
  if (!modules.has(found.url)) modules.set(found.url, isOwn ? plugin : { url: found.url })
  return found
}

let isInstalled = false

/** Makes this plugin, and all modules that it imports, use the modules of the program. */
export const shareModules = (plugin: SharingPlugin): void => {
  modules.set(plugin.url, plugin)
  if (isInstalled) return
  registerHooks({ resolve })
  isInstalled = true
}
