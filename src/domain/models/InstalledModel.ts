/**
 * The models of a server, for the user's choice: what each can do, which one a name means, and how they are listed.
 */
import type { ModelCapacity } from "./ContextWindow.ts"
import { type LoadedMemory, memoryText } from "./ModelMemory.ts"
import { sizeText } from "../text/Format.ts"
import { nearest } from "../text/Nearest.ts"

/** What a model can do; absent when the server does not say. */
export interface ModelAbilities {
  /** False for a model that only computes, such as an embedding model. */
  readonly completion?: boolean
  /** True if the model calls tools. */
  readonly tools?: boolean
  /** True if the model thinks before it answers. */
  readonly thinking?: boolean
  /** True if the model reads pictures. */
  readonly vision?: boolean
}

/** A model on the server; absent fields are unknown. */
export interface InstalledModel {
  /** The name on the server. */
  readonly name: string
  /** In bytes. */
  readonly size?: number | undefined
  /** What it can do. */
  readonly abilities: ModelAbilities
  /** True when the server forwards prompts for it to another server. */
  readonly isForwarded?: boolean | undefined
  /** The window and the slots of the model. */
  readonly capacity: ModelCapacity
  /** What it takes in memory now. */
  readonly memory?: LoadedMemory | undefined
}

/** The models that write text, best first: local ones, with tools, already loaded. */
export const fittingModels = (models: ReadonlyArray<InstalledModel>): ReadonlyArray<InstalledModel> => {
  const rank = ({ abilities, capacity, isForwarded }: InstalledModel): number =>
    (isForwarded ? 4 : 0) + (abilities.tools ? 0 : 2) + (capacity.loadedWindow === undefined ? 1 : 0)
  return models.filter(({ abilities }) => abilities.completion !== false).toSorted((a, b) => rank(a) - rank(b))
}

/** `qwen3` of `qwen3:8b`; a colon before a slash belongs to the address of a registry. */
const baseOf = (name: string): string => name.replace(/:[^/:]*$/, "")

/** A name as Ollama compares it: lower case, with its tag, without the default registry. */
const plainName = (name: string): string => {
  const bare = name.toLowerCase().replace(/^(?:registry\.ollama\.ai\/)?library\//, "")
  return baseOf(bare) === bare ? `${bare}:latest` : bare
}

/** The name in the list that a server understands; the wanted name when nothing or the name itself matches. */
export const listedName = (wantedName: string, names: ReadonlyArray<string>): string =>
  names.includes(wantedName) || names.includes(`${wantedName}:latest`)
    ? wantedName
    : (names.find((name) => plainName(name) === plainName(wantedName)) ?? wantedName)

/** True for a name that the server lists in another spelling. */
export const isUnusualName = (name: string): boolean => name !== name.toLowerCase() || /(?:^|\/)library\//.test(name)

/**
 * Suggests names for an unknown one. `only` is the only tag of this name, for a name without a tag; `nearest` are similar
 * names, nearest first.
 */
export const matchName = (
  wantedName: string,
  names: ReadonlyArray<string>
): { readonly only?: string; readonly nearest: ReadonlyArray<string> } => {
  const base = baseOf(wantedName)
    .toLowerCase()
    .replace(/^(?:registry\.ollama\.ai\/)?library\//, "")
  const tags = names.filter((name) => baseOf(name).toLowerCase() === base)
  const [only] = tags
  if (baseOf(wantedName) === wantedName && tags.length === 1 && only !== undefined) return { only, nearest: tags }
  const beginsAlike = names.filter((name) => base.length >= 3 && name.toLowerCase().startsWith(base))
  /* A word before the colon in all names identifies the server. */
  const [server = ""] = /^[a-z][a-z\d-]*:/.exec(wantedName) ?? []
  const from = names.every((name) => name.startsWith(server)) ? server.length : 0
  const alike = nearest(
    wantedName.slice(from),
    names.map((name) => name.slice(from))
  ).map((name) => wantedName.slice(0, from) + name)
  const nearTags = baseOf(wantedName) === wantedName ? [] : alike.filter((name) => tags.includes(name))
  return { nearest: [...new Set([...nearTags, ...tags, ...beginsAlike, ...alike])].slice(0, 3) }
}

const aboutModel = ({ abilities, capacity: { loadedWindow }, isForwarded, memory, size }: InstalledModel): string =>
  [
    ...(abilities.completion === false ? ["cannot write text"] : []),
    ...(["tools", "thinking", "vision"] as const).filter((ability) => abilities[ability]),
    ...(loadedWindow === undefined ? [] : [`loaded with ${loadedWindow} tokens`]),
    ...(memory === undefined ? [] : [memoryText(memory, size) ?? []].flat()),
    ...(isForwarded ? ["forwards prompts to another server"] : [])
  ].join(", ")

/** One row for each model, in columns: name, size, largest window, abilities. */
export const modelLines = (models: ReadonlyArray<InstalledModel>): ReadonlyArray<string> => {
  const rows = models.map((model) => [
    model.name,
    model.isForwarded || model.size === undefined ? "" : sizeText(model.size),
    model.capacity.supportedWindow === undefined ? "" : `${model.capacity.supportedWindow} tokens`,
    aboutModel(model)
  ])
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  )
}
