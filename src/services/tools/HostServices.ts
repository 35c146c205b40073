/** The services of the program for the code of tools: the project, pages, commands, and notices about reads. */
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

/** A successful read: the canonical path and the whole text of the file. */
export interface FileRead {
  readonly path: string
  readonly text: string
}

/** The number of reads by which a listener may fall behind. Beyond it, the listener loses the oldest reads. */
const bufferedReads = 64

/**
 * Tells plugins which files were read. `read_file` announces each successful read. A plugin with an index, for example,
 * can listen.
 */
export class FileReads extends Context.Service<
  FileReads,
  {
    /** Announces the read to all listeners without waiting for them. */
    announce(read: FileRead): Effect.Effect<void>
    /** The stream of all reads from now on, until the scope closes. */
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

/**
 * Fetches pages for a tool. The tool must have declared the URL of the page, and the gate must have granted it for the
 * call.
 */
export class PageFetch extends Context.Service<
  PageFetch,
  {
    /**
     * Returns the page at a granted URL. The gate decides about each redirect before it is followed. The request has no
     * cookies and no credentials.
     */
    get(url: string): Effect.Effect<Page, ToolFailure>
  }
>()("task-conductor/services/tools/HostServices/PageFetch") {}

/** A question that a tool asks the user during its call. */
export interface CallQuestion {
  /** What will happen after a yes, in one line that begins with a verb: "comment on issue 12". */
  readonly does: string
  /** The target as rules name it, such as `issue:12`. If absent, `does` is the target. */
  readonly target?: string
  /** Everything that the user must read before the answer, such as the text to post. At most 20,000 characters. */
  readonly details?: string
}

/** Asks the user on behalf of a tool. */
export class CallQuestions extends Context.Service<
  CallQuestions,
  {
    /**
     * Asks whether the call may do something that was not known when the call began. The rules and the user decide.
     * After a no, this fails with `permission_denied`. Until the answer, the time limit of the call pauses.
     */
    ask(question: CallQuestion): Effect.Effect<void, ToolFailure>
  }
>()("task-conductor/services/tools/HostServices/CallQuestions") {}

/** The services for tools. Every change, and every access outside the project, needs a grant of the call. */
export type HostServices = CallQuestions | Commands | FileReads | PageFetch | Workspace
