/** What the code of a tool is given with each call, beside its parameters. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import { runGranted } from "../commands/Commands.ts"
import { Workspace } from "../files/Workspace.ts"
import type { CallReports } from "./CallReports.ts"
import { type CallQuestion, CallQuestions, type HostServices, PageFetch } from "./HostServices.ts"
import type { Page } from "./WebFetch.ts"

/** One call, as the host gives it to a tool. */
export interface CallContext<Config = unknown> {
  /** The canonical form of what `access` declared, in the same order. */
  readonly granted: ReadonlyArray<CanonicalAccess>
  /** What a configuration sets for the plugin, decoded; undefined for a plugin that takes nothing. */
  readonly config: Config
  /** The value of a secret that the plugin declares. When the user has not given it, the call fails and says how to give it. */
  readonly secret: (name: string) => string
  /** Aborted when the call is stopped, or when its time limit is over. Pass it to whatever takes one, such as `fetch`. */
  readonly signal: AbortSignal
  /** Says how far the call is: `progress("reading")`, `progress({ done: 3, total: 10, text: "pages" })`. */
  readonly progress: CallReports["progress"]
  /** Notes something about the call for people: it is kept with the result, and no model is shown it. */
  readonly log: CallReports["log"]
  /**
   * Asks the user before the call does what was not known when it began: `await ask({ does: "comment on issue 12", target: "issue:12",
   * details: text })`. Resolves after a yes; a no is a `ToolFailure` that ends the call. The time limit stands still meanwhile.
   */
  readonly ask: (question: CallQuestion) => Promise<void>
  /** What a tool may use of the host, for one that is no effect. */
  readonly host: HostFunctions
}

/** The services of the host as functions; each promise is rejected with a `ToolFailure`. */
export interface HostFunctions {
  /** The text of a file of the project, or of one that was granted. Fails when it has more bytes, 1,000,000 when absent. */
  readText(path: string, maxBytes?: number): Promise<string>
  /** Replaces, creates or removes the file of a `WriteFile` that was granted. */
  write(granted: CanonicalAccess | undefined): Promise<void>
  /** The page of a `FetchUrl` that was granted, as text. */
  fetchPage(url: string): Promise<Page>
  /** Runs a `RunCommand` that was granted, and gives `{ exit_code, output }`. */
  runCommand(granted: CanonicalAccess | undefined, seconds?: number): Promise<Schema.Json>
}

const usualBytes = 1_000_000

const ignore = (): void => undefined

/** The function that asks the user for one call; a question that is still open when the signal is aborted is withdrawn. */
export const askFunction =
  (services: Context.Context<HostServices>, signal: AbortSignal): CallContext["ask"] =>
  (question) => {
    const asked = Effect.flatMap(CallQuestions, ({ ask }) => ask(question))
    const answer = Effect.runPromiseWith(services)(asked, { signal })
    /* A tool that does not wait for the answer hears of no denial, and the program goes on. */
    answer.catch(ignore)
    return answer
  }

/** The functions over the services of one call; all stop with its signal. */
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
