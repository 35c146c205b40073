/**
 * Finds the files that somebody else changed since a run used them last: the contents that finished tasks read or wrote
 * are compared with the current contents.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { FileTouch } from "../../domain/history/FileTouch.ts"
import { readMarkdown } from "../../domain/markdown/Markdown.ts"
import type { FileReference } from "../../domain/plan/Reference.ts"
import { readReference } from "../../domain/grammar/ReferenceForm.ts"
import { resolveFile } from "../references/FileReferences.ts"
import { fileState, Workspace } from "../files/Workspace.ts"
import { textHash } from "../files/Hash.ts"
import type { ReferenceWorld } from "../references/ReferenceWorld.ts"
import type { RunSettings } from "../runs/RunSettings.ts"

/** A file that is not as this task saw it. */
export interface ChangedFile {
  /** Relative to the project when it is in there. */
  readonly path: string
  readonly task: string
  readonly how: "read" | "written"
}

/** What was seen last of a file or of a part of it. */
interface Seen extends Omit<ChangedFile, "path"> {
  readonly hash: string
  /** The hash of the current content, `null` when it cannot be read; absent when the rules do not permit reading it. */
  readonly now: Effect.Effect<string | null | undefined, never, RunSettings | Workspace>
}

/** By canonical path, then by the part that was shown; `""` is the whole. */
type SeenFiles = Map<string, Map<string, Seen>>

const wholeFile = ""

/** Without a permit: what needs a question is not opened. */
const world: ReferenceWorld = {
  document: readMarkdown(""),
  finished: [],
  view: "document",
  expected: [],
  tooLate: [],
  tree: Effect.succeed([]),
  mayRead: () => Effect.succeed(true)
}

const shownNow = (reference: FileReference): Seen["now"] =>
  Effect.match(resolveFile(reference, world), {
    onFailure: () => null,
    onSuccess: ({ content }) => (content.kind === "file" ? textHash(content.text) : undefined)
  })

const addShown = Effect.fnUntraced(function* (
  seen: SeenFiles,
  { hash, href, task }: FileTouch & { readonly _tag: "Shown" }
) {
  const form = readReference("", href)
  if (form._tag !== "Plain" || form.reference.kind !== "file") return
  const { reference } = form
  const found = yield* Effect.option((yield* Workspace).canonical(reference.target))
  if (Option.isNone(found)) return
  const { path } = found.value
  const isWhole = reference.heading === undefined && reference.lines === undefined
  const parts = isWhole ? new Map<string, Seen>() : (seen.get(path) ?? new Map<string, Seen>())
  parts.set(isWhole ? wholeFile : href, { task, how: "read", hash, now: shownNow(reference) })
  seen.set(path, parts)
})

const addWritten = Effect.fnUntraced(function* (
  seen: SeenFiles,
  { hash, path, task }: FileTouch & { readonly _tag: "Written" }
) {
  const now = fileState(yield* Workspace, path)
  seen.set(path, new Map([[wholeFile, { task, how: "written", hash, now }]]))
})

const seenFiles = Effect.fnUntraced(function* (touches: ReadonlyArray<FileTouch>) {
  const seen: SeenFiles = new Map()
  for (const touch of touches) {
    if (touch._tag === "Shown") yield* addShown(seen, touch)
    else if (touch._tag === "Written") yield* addWritten(seen, touch)
    else if (touch.path === undefined) seen.clear()
    else seen.delete(touch.path)
  }
  return seen
})

/** Which files are not as they were seen last, each once, in the order in which they were seen. */
export const changedFiles = Effect.fn("changedFiles")(function* (touches: ReadonlyArray<FileTouch>) {
  const { root } = yield* Workspace
  const compared = yield* Effect.forEach(
    yield* seenFiles(touches),
    Effect.fnUntraced(function* ([path, parts]) {
      for (const { hash, how, now, task } of parts.values()) {
        const found = yield* now
        if (found === undefined || found === hash) continue
        const shown = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
        return [{ path: shown, task, how } satisfies ChangedFile]
      }
      return []
    }),
    { concurrency: 8 }
  )
  return compared.flat()
})
