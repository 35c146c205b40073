/**
 * The commands of the program with their flags and arguments, from what their help is made of, and whether a command line fits
 * them. Nothing is executed.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Output } from "../../src/cli/terminal/Output.ts"
import { Signals } from "../../src/cli/terminal/Signals.ts"
import { layerFlags, taskConductor } from "../../src/cli/taskConductor.ts"
import { textCollector } from "./textCollector.ts"

export type CommandForms = ReadonlyMap<string, HelpDoc>

const helpOf = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const docs: Array<HelpDoc> = []
  const presenter = CliOutput.layerPresenter({
    present: (event) => Effect.sync(() => void (event._tag === "Help" && docs.push(event.helpDoc)))
  })
  const streams = { env: {}, stdin: {}, stdout: textCollector().stream, stderr: textCollector().stream }
  yield* Command.runWith(yield* taskConductor(words), { version: "" })([...words, "--help"]).pipe(
    Effect.provide(Layer.mergeAll(presenter, layerFlags, Output.layerOf(streams), NodeServices.layer)),
    Effect.provideService(Signals, { received: () => undefined, onInterrupt: () => Effect.void })
  )
  return docs[0]
})

const collect = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<readonly [string, HelpDoc]>, unknown> {
  const doc = yield* helpOf(words)
  if (doc === undefined) return []
  const names = (doc.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name))
  const below = yield* Effect.forEach(names, (name) => collect([...words, name]))
  return [[words.join(" "), doc], ...below.flat()]
})

/** Every command by its words: "" is the program itself. */
export const commandForms: Effect.Effect<CommandForms> = Effect.orDie(Effect.map(collect([]), (all) => new Map(all)))

const flagOf = (doc: HelpDoc, word: string): FlagDoc | undefined =>
  [...doc.flags, ...(doc.inheritedFlags ?? []), ...(doc.globalFlags ?? [])].find(({ aliases, name }) =>
    [`--${name}`, ...aliases.map((alias) => (alias.startsWith("-") ? alias : `-${alias}`))].includes(word)
  )

/** The help counts a flag that may be repeated among the required ones, although it may be given no time at all. */
const isRequired = ({ description, required }: FlagDoc): boolean =>
  required && !Option.getOrElse(description, () => "").includes("repeatable")

const problemWithWords = (doc: HelpDoc, words: ReadonlyArray<string>): string | undefined => {
  const values: Array<string> = []
  const given = new Set<string>()
  for (let at = 0; at < words.length; at += 1) {
    const [word = "", value] = (words[at] ?? "").split(/=(.*)/s)
    if (!/^--?[a-z]/i.test(word)) {
      values.push(word)
      continue
    }
    const flag = flagOf(doc, word)
    if (flag === undefined) return `has no flag ${word}`
    given.add(flag.name)
    if (flag.type === "boolean" || value !== undefined) continue
    at += 1
    if (words[at] === undefined) return `needs a value for ${word}`
  }
  const missing = doc.flags.find((flag) => isRequired(flag) && !given.has(flag.name))
  if (missing !== undefined) return `needs --${missing.name}`
  const args = doc.args ?? []
  const required = args.filter((one) => one.required)
  if (values.length < required.length) return `needs ${required[values.length]?.name}`
  if (values.length > args.length && !args.some(({ variadic }) => variadic))
    return `has no room for ${values[args.length]}`
  return undefined
}

/**
 * What is wrong with the words behind `task-conductor`, in a few words. Prose may name a command without what it needs.
 */
export const problemOf = (
  forms: CommandForms,
  words: ReadonlyArray<string>,
  given: "whole" | "named" = "whole"
): string | undefined => {
  const ends = words.map((_, index) => words.slice(0, words.length - index).join(" "))
  const path = ends.find((candidate) => forms.has(candidate)) ?? ""
  const doc = forms.get(path)
  if (doc === undefined) return "is not known"
  const rest = words.slice(path === "" ? 0 : path.split(" ").length)
  const hasCommands = (doc.subcommands ?? []).length > 0
  if (hasCommands && rest[0] !== undefined && !rest[0].startsWith("-")) return `has no command ${rest[0]}`
  const problem = problemWithWords(doc, rest)
  return given === "named" && problem?.startsWith("needs ") === true ? undefined : problem
}
