/**
 * Checks the options of the functions for scripts. An unknown option or a value of the wrong type is an error. The
 * values of settings are checked with the configuration.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import { nearest } from "../domain/text/Nearest.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { settingNames } from "./programSettings.ts"

interface OptionKind {
  readonly is: (value: unknown) => boolean
  /** The expected value, as the end of a sentence. */
  readonly what: string
}

const text: OptionKind = { is: Predicate.isString, what: "a text" }
const truth: OptionKind = { is: Predicate.isBoolean, what: "true or false" }
const callback: OptionKind = { is: Predicate.isFunction, what: "a function" }
const texts: OptionKind = {
  is: (value) => Array.isArray(value) && value.every(Predicate.isString),
  what: "a list of texts"
}
const priority: OptionKind = {
  is: (value) => Number.isInteger(value) && Math.abs(Number(value)) <= 100,
  what: "a whole number from -100 to 100"
}
const list: OptionKind = { is: Array.isArray, what: "a list" }
const object: OptionKind = { is: (value) => Predicate.isObject(value) && !Array.isArray(value), what: "an object" }
const schema: OptionKind = {
  is: (value) => Predicate.isObject(value) || typeof value === "function",
  what: "a schema: of Effect, a Standard Schema, or a JSON schema"
}
const folder: OptionKind = { is: (value) => value instanceof URL, what: 'a URL: new URL("./skills/", import.meta.url)' }
const configuration: OptionKind = {
  is: (value) => value === false || object.is(value),
  what: "an object as a configuration file has it, or false for none"
}
const toolNames: OptionKind = {
  is: (value) => texts.is(value) || object.is(value),
  what: "a list of names, or an object with tools by name"
}
/** True for any abort signal, even one of another realm or a polyfill. */
export const isSignal = (value: unknown): value is AbortSignal =>
  Predicate.hasProperty(value, "aborted") && Predicate.hasProperty(value, "addEventListener")

const signal: OptionKind = {
  is: isSignal,
  what: "an AbortSignal"
}
const model: OptionKind = {
  is: (value) => typeof value === "string" || typeof value === "function" || Layer.isLayer(value),
  what: "the name of a model, a function that answers, or a layer of LanguageModel of effect/ai"
}
/** Accepts any value, because settings are checked later, with the configuration. */
const setting: OptionKind = { is: () => true, what: "" }

const shared = {
  ...Object.fromEntries(settingNames.map((name) => [name, setting])),
  project: text,
  model,
  approve: callback,
  answer: callback,
  plugins: list,
  tools: object,
  skills: folder,
  configuration,
  stateFolder: text,
  signal
}
const material = { file: text, open: texts, attachment: text }
const plan = { ...shared, ...material, prompt: text }
const run = {
  ...plan,
  outputSchema: schema,
  skill: text,
  plan: text,
  readOnly: truth,
  acceptUnverified: truth,
  keep: truth
}
const conversation = {
  ...shared,
  ...material,
  outputSchema: schema,
  tools: toolNames,
  images: texts,
  onText: callback
}
const stage = { ...shared, file: text, results: object }
const saved = { stateFolder: text }
const check = { ...shared, kind: text, finished: texts }
const database = { database: text, approve: callback, arbitrate: callback, signal }

const optionsOf = {
  run,
  plan,
  ask: { ...conversation, prompt: text, messages: texts },
  openConversation: conversation,
  conversations: { ...saved, project: text },
  resume: { ...shared, outputSchema: schema, arbitrate: callback },
  fork: { ...shared, outputSchema: schema, from: text },
  refine: { ...stage, plan: text, task: text },
  execute: { ...stage, refinement: text },
  iterate: { ...stage, plan: text },
  checkInProject: check,
  undo: { ...saved, paths: texts, redo: truth },
  replay: { ...saved, plugins: list },
  "a run on a cluster": { ...run, ...database, priority },
  work: { ...shared, ...database, tell: callback }
} as const satisfies Readonly<Record<string, Readonly<Record<string, OptionKind>>>>

export type FunctionName = keyof typeof optionsOf

const needsPrompt: ReadonlySet<FunctionName> = new Set(["run", "plan", "a run on a cluster"])

/** Hints for options that users expect in these functions, but that have another name or place. */
const elsewhere: Readonly<Record<string, string>> = {
  timeout: "Set limits, such as limits.callSeconds, or pass AbortSignal.timeout(ms) as signal.",
  yes: "Pass a function as approve, or rules as allow.",
  cwd: "Nearest: project."
}

const unknownOption = (name: string, of: FunctionName): string => {
  const names = Object.keys(optionsOf[of])
  const [near] = nearest(name, names)
  const remedy = elsewhere[name] ?? (near === undefined ? `Its options: ${names.join(", ")}.` : `Nearest: ${near}.`)
  return `"${name}" is no option of ${of}. ${remedy}`
}

const problemsOf = (options: unknown, of: FunctionName): ReadonlyArray<string> => {
  if (!Predicate.isObject(options) || Array.isArray(options)) return [`${of} takes an object with options.`]
  const kinds: Readonly<Record<string, OptionKind>> = optionsOf[of]
  const given = Object.entries(needsPrompt.has(of) ? { prompt: undefined, ...options } : options)
  return given.flatMap(([name, value]) => {
    if (value === undefined) return name === "prompt" && needsPrompt.has(of) ? [`${of} needs a "prompt".`] : []
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) return [unknownOption(name, of)]
    return kind.is(value) ? [] : [`"${name}" must be ${kind.what}.`]
  })
}

/** Carries out the work of a function. Fails if an option is unknown or has a wrong value. */
export const withOptions = <A, E, R>(
  options: unknown,
  of: FunctionName,
  work: () => Effect.Effect<A, E, R>
): Effect.Effect<A, E | ConfigurationError, R> =>
  Effect.suspend((): Effect.Effect<A, E | ConfigurationError, R> => {
    const problems = problemsOf(options, of)
    if (problems.length === 0) return work()
    return Effect.fail(new ConfigurationError({ source: "options", problems: problems.map((what) => ({ what })) }))
  })
