/** What the host lends to the code of tools: the project, pages, commands, and word of what was read. */
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

/** One successful read: the canonical path and the whole text of the file. */
export interface FileRead {
  readonly path: string
  readonly text: string
}

/** A listener that falls behind by more reads misses the oldest ones. */
const bufferedReads = 64

/**
 * Informs plugins which files were read: `read_file` announces every successful read, an index or a note-taker listens.
 */
export class FileReads extends Context.Service<
  FileReads,
  {
    /** Publishes the read to all listeners and never waits for them. */
    announce(read: FileRead): Effect.Effect<void>
    /** The reads from now on, until the scope closes. */
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

/** The pages a tool may fetch: those that it declared and the gate granted for its call. */
export class PageFetch extends Context.Service<
  PageFetch,
  {
    /**
     * The page at a URL that the call was granted. The gate decides about every redirect before it is followed; neither
     * cookies nor credentials are sent.
     */
    get(url: string): Effect.Effect<Page, ToolFailure>
  }
>()("task-conductor/services/tools/HostServices/PageFetch") {}

/** What a tool asks about while its call runs. */
export interface CallQuestion {
  /** What is done after a yes, in one line that begins with a verb: "comment on issue 12". */
  readonly does: string
  /** What rules name, such as `issue:12`; `does` itself when absent. */
  readonly target?: string
  /** All that the user has to read before they answer, such as the text that is posted; 20,000 characters at most. */
  readonly details?: string
}

/** The questions of a tool to the user. */
export class CallQuestions extends Context.Service<
  CallQuestions,
  {
    /**
     * Asks whether the call may do something that is known only while it runs, by the same rules and of the same user as the call
     * itself. Fails with `permission_denied` when it may not. The time limit of the call stands still until the answer.
     */
    ask(question: CallQuestion): Effect.Effect<void, ToolFailure>
  }
>()("task-conductor/services/tools/HostServices/CallQuestions") {}

/** What a tool may use; what changes or leaves the project needs the grant of the call. */
export type HostServices = CallQuestions | Commands | FileReads | PageFetch | Workspace
