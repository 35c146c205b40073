/**
 * A check of a model server and its possible outcomes.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ModelError } from "../../src/domain/models/ModelAnswer.ts"

/** The server under test. */
export interface Target {
  readonly api: "ollama" | "openai"
  readonly host: string
  /** The server's name of a model that can call tools. */
  readonly model: string
  /** A model that thinks, and one that neither thinks nor calls tools, if the server has them. */
  readonly thinkingModel?: string
  readonly plainModel?: string
  /** The requested window in tokens, or the server's own. */
  readonly window: number
  /** The window of the whole run, unless chosen as usual. */
  readonly runWindow?: number
  /** Time for the server to become free again, in milliseconds. */
  readonly patience: number
  /** Restarts the server; completes once it has started. Absent if no command was given. */
  readonly restart?: Effect.Effect<void, CheckFailed>
}

/** The server does not support this, which is no failure. */
export class NotSupported extends Schema.TaggedError<NotSupported>()("NotSupported", { why: Schema.String }) {
  override get message(): string {
    return this.why
  }
}

/** An input is missing, so the check was not made. */
export class NotTried extends Schema.TaggedError<NotTried>()("NotTried", { why: Schema.String }) {
  override get message(): string {
    return this.why
  }
}

/** The server, or this project's handling of its answer, is wrong. */
export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", { what: Schema.String }) {
  override get message(): string {
    return this.what
  }
}

export interface Check {
  readonly name: string
  /** Returns a short text about what was observed. */
  readonly check: (target: Target) => Effect.Effect<string, NotSupported | NotTried | CheckFailed | ModelError>
}

export const notSupported = (why: string) => new NotSupported({ why })

export const require = (condition: boolean, what: () => string): Effect.Effect<void, CheckFailed> =>
  condition ? Effect.void : Effect.fail(new CheckFailed({ what: what() }))

/** Fails with this text if the effect takes longer than the server's patience. */
export const inTime = <A, E, R>({ patience }: Target, effect: Effect.Effect<A, E, R>, what: string) =>
  Effect.timeoutOrElse(effect, {
    duration: patience,
    orElse: () => Effect.fail(new CheckFailed({ what: `${what} within ${patience} ms` }))
  })

export interface Row {
  readonly name: string
  readonly outcome: "passed" | "not supported" | "not tried" | "failed"
  readonly detail: string
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").slice(0, 200)

/** Runs one check within its time limit. A defect fails it. */
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

/** The rows as a markdown table. */
export const tableOf = (rows: ReadonlyArray<Row>): string =>
  [
    "| check | result | seen |",
    "|---|---|---|",
    ...rows.map(({ detail, name, outcome }) => `| ${name} | ${outcome} | ${detail.replaceAll("|", "\\|")} |`)
  ].join("\n")
