/**
 * What a check of a model server is, and what it may come to.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ModelError } from "../../src/domain/models/ModelAnswer.ts"

/** The server that is checked. */
export interface Target {
  readonly api: "ollama" | "openai"
  readonly host: string
  /** A model that can call tools, by the name on the server. */
  readonly model: string
  /** A model that thinks, one that can neither think nor call tools, when there are such. */
  readonly thinkingModel?: string
  readonly plainModel?: string
  /** The window in tokens that is asked for, or that the server has. */
  readonly window: number
  /** The window of the whole run, when it is not to be chosen as for any run. */
  readonly runWindow?: number
  /** How long the server may take to be free again, in milliseconds. */
  readonly patience: number
  /** Ends the server and starts it again, and is done when both were begun; absent when nobody said how. */
  readonly restart?: Effect.Effect<void, CheckFailed>
}

/** The server cannot do this, which is no fault. */
export class NotSupported extends Schema.TaggedError<NotSupported>()("NotSupported", { why: Schema.String }) {
  override get message(): string {
    return this.why
  }
}

/** The check needs what was not given, so that nothing is known. */
export class NotTried extends Schema.TaggedError<NotTried>()("NotTried", { why: Schema.String }) {
  override get message(): string {
    return this.why
  }
}

/** The server, or what this project makes of its answer, is not as it has to be. */
export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", { what: Schema.String }) {
  override get message(): string {
    return this.what
  }
}

export interface Check {
  readonly name: string
  /** Gives what was seen, in a few words. */
  readonly check: (target: Target) => Effect.Effect<string, NotSupported | NotTried | CheckFailed | ModelError>
}

export const notSupported = (why: string) => new NotSupported({ why })

export const require = (condition: boolean, what: () => string): Effect.Effect<void, CheckFailed> =>
  condition ? Effect.void : Effect.fail(new CheckFailed({ what: what() }))

/** Fails with these words unless something ends before the patience with the server does. */
export const inTime = <A, E, R>({ patience }: Target, effect: Effect.Effect<A, E, R>, what: string) =>
  Effect.timeoutOrElse(effect, {
    duration: patience,
    orElse: () => Effect.fail(new CheckFailed({ what: `${what} within ${patience} ms` }))
  })

/** The row of a check in the table. */
export interface Row {
  readonly name: string
  readonly outcome: "passed" | "not supported" | "not tried" | "failed"
  readonly detail: string
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 200)

/** Runs one check within its time; a defect of the check fails it. */
export const runCheck = ({ check, name }: Check, target: Target, seconds: number): Effect.Effect<Row> =>
  check(target).pipe(
    Effect.timeoutOrElse({
      duration: `${seconds} seconds`,
      orElse: () => Effect.fail(new CheckFailed({ what: `took more than ${seconds} s` }))
    }),
    Effect.map((detail): Row => ({ name, outcome: "passed", detail: oneLine(detail) })),
    Effect.catchTag("NotSupported", ({ why }) =>
      Effect.succeed<Row>({ name, outcome: "not supported", detail: oneLine(why) })
    ),
    Effect.catchTag("NotTried", ({ why }) => Effect.succeed<Row>({ name, outcome: "not tried", detail: oneLine(why) })),
    Effect.catch((error) => Effect.succeed<Row>({ name, outcome: "failed", detail: oneLine(error.message) })),
    Effect.catchDefect((defect) => Effect.succeed<Row>({ name, outcome: "failed", detail: oneLine(String(defect)) }))
  )

/** The rows as a table of markdown. */
export const tableOf = (rows: ReadonlyArray<Row>): string =>
  [
    "| check | result | seen |",
    "|---|---|---|",
    ...rows.map(({ detail, name, outcome }) => `| ${name} | ${outcome} | ${detail.replaceAll("|", "\\|")} |`)
  ].join("\n")
