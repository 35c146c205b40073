/**
 * Tells plugins which files were read: `read_file` announces every successful read, an index or a note-taker listens.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PubSub from "effect/PubSub"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

/** One successful read: the canonical path and the whole text of the file. */
export interface FileRead {
  readonly path: string
  readonly text: string
}

/** A listener that falls behind this far misses the oldest reads. */
const kept = 64

export class FileReads extends Context.Service<
  FileReads,
  {
    /** Tells all listeners; never waits for them. */
    announce(read: FileRead): Effect.Effect<void>
    /** The reads from now on, until the scope closes. */
    readonly subscribe: Effect.Effect<Stream.Stream<FileRead>, never, Scope.Scope>
  }
>()("task-conductor/services/plugins/FileReads") {
  static readonly layer: Layer.Layer<FileReads> = Layer.effect(
    FileReads,
    Effect.gen(function* () {
      const reads = yield* Effect.acquireRelease(PubSub.sliding<FileRead>(kept), PubSub.shutdown)
      return FileReads.of({
        announce: (read) => Effect.asVoid(PubSub.publish(reads, read)),
        subscribe: Effect.map(PubSub.subscribe(reads), Stream.fromSubscription)
      })
    })
  )
}
