/** What a tool receives for each call, besides the parameters. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import { runGranted } from "../commands/Commands.ts"
import { Workspace } from "../files/Workspace.ts"
import type { CallReports } from "./CallReports.ts"
import { type CallQuestion, CallQuestions, type HostServices, PageFetch } from "./HostServices.ts"
import type { Page } from "./WebFetch.ts"

/** One call, as a tool receives it. */
export interface CallContext<Config = unknown> {
  /** The canonical accesses of the call, in the order of `access`. */
  readonly granted: ReadonlyArray<CanonicalAccess>
  /** The decoded configuration of the plugin; undefined for a plugin without one. */
  readonly config: Config
  /**
   * Returns the value of a declared secret. If it is missing, the call fails with a message that says how to provide
   * it.
   */
  readonly secret: (name: string) => string
  /** Aborted when the call is stopped or its time is over. Pass it to functions such as `fetch`. */
  readonly signal: AbortSignal
  /** Reports the progress of the call: `progress("reading")`, `progress({ done: 3, total: 10, text: "pages" })`. */
  readonly progress: CallReports["progress"]
  /** Adds a note for the user, stored with the result. Models do not see it. */
  readonly log: CallReports["log"]
  /**
   * Asks the user about an effect that was unknown when the call began: `await ask({ does: "comment on issue 12",
   * target: "issue:12", details: text })`. Resolves after a yes; a no is a `ToolFailure` that ends the call. The time
   * limit pauses until the answer.
   */
  readonly ask: (question: CallQuestion) => Promise<void>
  /** The services of the program, for a tool that is not an effect. */
  readonly host: HostFunctions
}

/** The services of the program as functions. A failure rejects with a `ToolFailure`. */
export interface HostFunctions {
  /** Returns the text of a project file or a granted file. Fails for more than `maxBytes`, 1,000,000 by default. */
  readText(path: string, maxBytes?: number): Promise<string>
  /** Replaces, creates or removes the file of a granted `WriteFile`. */
  write(granted: CanonicalAccess | undefined): Promise<void>
  /** Returns the page of a granted `FetchUrl` as text. */
  fetchPage(url: string): Promise<Page>
  /** Runs a granted `RunCommand` and returns `{ exit_code, output }`. */
  runCommand(granted: CanonicalAccess | undefined, seconds?: number): Promise<Schema.Json>
}

const usualBytes = 1_000_000

const ignore = (): void => undefined

/** Returns the function that asks the user during one call. An aborted signal withdraws the question. */
export const askFunction =
  (services: Context.Context<HostServices>, signal: AbortSignal): CallContext["ask"] =>
  (question) => {
    const asked = Effect.flatMap(CallQuestions, ({ ask }) => ask(question))
    const answer = Effect.runPromiseWith(services)(asked, { signal })
    /** If a tool does not await the answer, an unhandled denial must not crash the program. */
    answer.catch(ignore)
    return answer
  }

/** Returns the functions for one call. Its signal stops all of them. */
export const hostFunctions = (services: Context.Context<HostServices>, signal: AbortSignal): HostFunctions => {
  const promise = <A, E>(work: Effect.Effect<A, E, HostServices>): Promise<A> =>
    Effect.runPromiseWith(services)(work, { signal })
  return {
    readText: (path, maxBytes = usualBytes) =>
      promise(Effect.flatMap(Workspace, (workspace) => workspace.readText(path, maxBytes))),
    write: (granted) =>
      promise(
        Effect.flatMap(Workspace, (workspace) =>
          granted?._tag === "WriteFile" ? workspace.write(granted) : Effect.die("the tool got no file to write")
        )
      ),
    fetchPage: (url) => promise(Effect.flatMap(PageFetch, (pages) => pages.get(url))),
    runCommand: (granted, seconds) => promise(runGranted(granted, seconds))
  }
}
