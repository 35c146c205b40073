/** What the code of a tool receives for each call, besides the parameters. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import { runGranted } from "../commands/Commands.ts"
import { Workspace } from "../files/Workspace.ts"
import type { CallReports } from "./CallReports.ts"
import { type CallQuestion, CallQuestions, type HostServices, PageFetch } from "./HostServices.ts"
import type { Page } from "./WebFetch.ts"

/** One call, as the program passes it to a tool. */
export interface CallContext<Config = unknown> {
  /** The canonical accesses of the call, in the order in which `access` declared them. */
  readonly granted: ReadonlyArray<CanonicalAccess>
  /** The decoded configuration of the plugin; undefined for a plugin without one. */
  readonly config: Config
  /**
   * Returns the value of a secret that the plugin declares. If the user has not provided the secret, the call fails
   * with a message that says how to provide it.
   */
  readonly secret: (name: string) => string
  /** The signal that is aborted when the call is stopped or its time is over. Pass it to functions such as `fetch`. */
  readonly signal: AbortSignal
  /** Reports the progress of the call: `progress("reading")`, `progress({ done: 3, total: 10, text: "pages" })`. */
  readonly progress: CallReports["progress"]
  /** Adds a note for the user. The note is stored with the result. Models do not see it. */
  readonly log: CallReports["log"]
  /**
   * Asks the user about an effect that was unknown when the call began: `await ask({ does: "comment on issue 12",
   * target: "issue:12", details: text })`. Resolves after a yes. A no is a `ToolFailure` that ends the call. Until the
   * answer, the time limit of the call pauses.
   */
  readonly ask: (question: CallQuestion) => Promise<void>
  /** The services of the program, for a tool that is not an effect. */
  readonly host: HostFunctions
}

/** The services of the program as functions. If a function fails, its promise rejects with a `ToolFailure`. */
export interface HostFunctions {
  /**
   * Returns the text of a project file or a granted file. Fails if the file is larger than `maxBytes`, 1,000,000 by
   * default.
   */
  readText(path: string, maxBytes?: number): Promise<string>
  /** Makes the change of a granted `WriteFile`: it replaces, creates or removes the file. */
  write(granted: CanonicalAccess | undefined): Promise<void>
  /** Returns the page of a granted `FetchUrl` as text. */
  fetchPage(url: string): Promise<Page>
  /** Runs a granted `RunCommand` and returns `{ exit_code, output }`. */
  runCommand(granted: CanonicalAccess | undefined, seconds?: number): Promise<Schema.Json>
}

const usualBytes = 1_000_000

const ignore = (): void => undefined

/**
 * Returns the function that asks the user during one call. If the signal is aborted, an unanswered question is
 * withdrawn.
 */
export const askFunction =
  (services: Context.Context<HostServices>, signal: AbortSignal): CallContext["ask"] =>
  (question) => {
    const asked = Effect.flatMap(CallQuestions, ({ ask }) => ask(question))
    const answer = Effect.runPromiseWith(services)(asked, { signal })
    /** If a tool does not await the answer, nobody handles a denial. The program must not crash because of it. */
    answer.catch(ignore)
    return answer
  }

/** Returns the functions for one call. The signal of the call stops all of them. */
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
