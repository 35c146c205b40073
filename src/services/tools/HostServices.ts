/** The services of the program for tools: the project, pages, commands, and notices about reads. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { Commands } from "../commands/Commands.ts"
import type { Workspace } from "../files/Workspace.ts"
import type { Page } from "./WebFetch.ts"

/** A read file: its canonical path and whole text. */
export interface FileRead {
  readonly path: string
  readonly text: string
}

/** A listener may lag this many reads behind. If it lags further behind, it loses the oldest reads. */
const bufferedReads = 64

/** Tells plugins which files `read_file` has read, for example to update an index. */
export class FileReads extends Context.Service<
  FileReads,
  {
    /** Announces the read without waiting for listeners. */
    announce(read: FileRead): Effect.Effect<void>
    /** All reads from now on, until the scope closes. */
    readonly subscribe: Effect.Effect<Stream.Stream<FileRead>, never, Scope.Scope>
  }
>()("task-conductor/services/tools/HostServices/FileReads") {
  static readonly layer = Layer.effect(
    FileReads,
    Effect.gen(function* () {
      const reads = yield* Effect.acquireRelease(PubSub.sliding<FileRead>(bufferedReads), PubSub.shutdown)
      return FileReads.of({
        announce: (read) => Effect.asVoid(PubSub.publish(reads, read)),
        subscribe: Effect.map(PubSub.subscribe(reads), Stream.fromSubscription)
      })
    })
  )
}

/** Fetches pages for a tool, if the tool declared the URL and the gate granted it for the call. */
export class PageFetch extends Context.Service<
  PageFetch,
  {
    /**
     * Returns the page at a granted URL, without cookies or credentials. The gate decides about each redirect before it
     * is followed.
     */
    get(url: string): Effect.Effect<Page, ToolFailure>
  }
>()("task-conductor/services/tools/HostServices/PageFetch") {}

/** A question that a tool asks the user during its call. */
export interface CallQuestion {
  /** What happens after a yes, in one line that begins with a verb: "comment on issue 12". */
  readonly does: string
  /** What permission rules are compared with, such as `issue:12`. Default: the text of `does`. */
  readonly target?: string
  /** What the user must read before the answer, such as the text to post. At most 20,000 characters. */
  readonly details?: string
}

/** Asks the user on behalf of a tool. */
export class CallQuestions extends Context.Service<
  CallQuestions,
  {
    /**
     * Asks whether the call may do something that was unknown when it began. The rules and the user decide; a no fails
     * with `permission_denied`. The time limit pauses until the answer.
     */
    ask(question: CallQuestion): Effect.Effect<void, ToolFailure>
  }
>()("task-conductor/services/tools/HostServices/CallQuestions") {}

/** The services for tools. Every change, and every access outside the project, needs a grant. */
export type HostServices = CallQuestions | Commands | FileReads | PageFetch | Workspace
