/** The models on a server: what each model can do, which model a name means, and the list that the program prints. */
import type { ModelCapacity } from "./ContextWindow.ts"
import { type LoadedMemory, memoryText } from "./ModelMemory.ts"
import { sizeText } from "../text/Format.ts"
import { nearest } from "../text/Nearest.ts"

/** The abilities of a model. A field is absent if the server does not report it. */
export interface ModelAbilities {
  /** False for a model that writes no text, such as an embedding model. */
  readonly completion?: boolean
  /** True if the model calls tools. */
  readonly tools?: boolean
  /** True if the model thinks before it answers. */
  readonly thinking?: boolean
  /** True if the model reads images. */
  readonly vision?: boolean
}

/** A model on the server. A field is absent if its value is unknown. */
export interface InstalledModel {
  /** The name of the model on the server, such as `qwen3:8b`. */
  readonly name: string
  /** The size of the model file, in bytes. */
  readonly size?: number | undefined
  /** What the model can do, as far as the server reports it. */
  readonly abilities: ModelAbilities
  /** True if the server forwards prompts for the model to another server. */
  readonly isForwarded?: boolean | undefined
  /** The context window of the model, and how many calls the server processes in parallel. */
  readonly capacity: ModelCapacity
  /** The memory that the loaded model takes now. */
  readonly memory?: LoadedMemory | undefined
}

/**
 * The models that write text, best first. Local models come before forwarded ones. Within each group, models with tools
 * come first, then loaded models.
 */
export const fittingModels = (models: ReadonlyArray<InstalledModel>): ReadonlyArray<InstalledModel> => {
  const rank = ({ abilities, capacity, isForwarded }: InstalledModel): number =>
    (isForwarded ? 4 : 0) + (abilities.tools ? 0 : 2) + (capacity.loadedWindow === undefined ? 1 : 0)
  return models.filter(({ abilities }) => abilities.completion !== false).toSorted((a, b) => rank(a) - rank(b))
}

/** A name without its tag: `qwen3` of `qwen3:8b`. A colon before a slash belongs to a registry's address. */
const baseOf = (name: string): string => name.replace(/:[^/:]*$/, "")

/** A name as Ollama compares it: lower case, with a tag, without the default registry. */
const plainName = (name: string): string => {
  const bare = name.toLowerCase().replace(/^(?:registry\.ollama\.ai\/)?library\//, "")
  return baseOf(bare) === bare ? `${bare}:latest` : bare
}

/** The server's name for the wanted model, or the wanted name if the server lacks the model. */
export const listedName = (wantedName: string, names: ReadonlyArray<string>): string =>
  names.includes(wantedName) || names.includes(`${wantedName}:latest`)
    ? wantedName
    : (names.find((name) => plainName(name) === plainName(wantedName)) ?? wantedName)

/** True for a name that Ollama may list in another spelling. */
export const isUnusualName = (name: string): boolean => name !== name.toLowerCase() || /(?:^|\/)library\//.test(name)

/**
 * Suggests names for an unknown name, nearest first. If the unknown name lacks a tag and the server has it with exactly
 * one tag, `only` is the name with this tag.
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
  /* If all names begin with the same word and a colon, this word names a server and is not compared. */
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

/** One aligned row for each model: name, size, largest window, abilities. */
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
