/** Kinds of flags that commands use. */
import * as Command from "effect/cli/Command"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"
import * as Record from "effect/Record"

/** A flag without a value. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** An optional flag whose value is a whole number from `minimum` to `maximum`, both included. */
export const wholeNumberFlag = (name: string, [minimum, maximum]: readonly [number, number], description: string) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (number) => number >= minimum && number <= maximum,
      () => `a whole number between ${minimum} and ${maximum}`
    ),
    Flag.withMetavar("N"),
    Flag.withDescription(description),
    Flag.optional
  )

/** A flag whose value is a text that is not blank. `what` names it in help and errors. */
export const textFlag = (name: string, what: string, description: string) =>
  Flag.String(name).pipe(
    Flag.filter(
      (text) => text.trim() !== "",
      () => `${what}, which is not empty`
    ),
    Flag.withMetavar(what),
    Flag.withDescription(description)
  )

/** Adds a description and explained examples to a command. */
export const withHelp =
  (description: string, examples: Readonly<Record<string, string>>) =>
  <Name extends string, Input, Context, E, R>(self: Command.Command<Name, Input, Context, E, R>) =>
    self.pipe(
      Command.withDescription(description),
      Command.withExamples(Object.entries(examples).map(([command, description]) => ({ command, description })))
    )

export const runArgument = Argument.String("RUN").pipe(
  Argument.withDescription('The id of the run, the beginning of an id, or "last"; see "task-conductor runs"')
)

/** The flags that the user has set, by name. */
export const present = <Flags extends Readonly<Record<string, Option.Option<unknown>>>>(flags: Flags) =>
  Record.getSomes(flags) as { readonly [Name in keyof Flags]?: Option.Option.Value<Flags[Name]> }
