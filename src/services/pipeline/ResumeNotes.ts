/**
 * The warnings for a user who resumes a run: about repairs of its journal, and about files that changed after its tasks
 * used them. They are computed when the journal is opened, and emitted after the start of the run.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type FileTouch, fileTouches } from "../../domain/journal/FileTouch.ts"
import { readRecords } from "../journal/JournalLine.ts"
import { leftOutNote } from "../journal/UnknownRecords.ts"
import type { JournalContent } from "../journal/JournalReader.ts"
import type { RunSettings } from "../runs/RunSettings.ts"
import { fileState, Workspace } from "../files/Workspace.ts"
import * as Option from "effect/Option"
import { readMarkdown } from "../../domain/markdown/Markdown.ts"
import type { FileReference } from "../../domain/plan/Reference.ts"
import { readReference } from "../../domain/grammar/ReferenceForm.ts"
import { resolveFile } from "../references/FileReferences.ts"
import { textHash } from "../files/Hash.ts"
import type { ReferenceContext } from "../references/ReferenceContext.ts"

interface ChangedFile {
  /** Relative to the project for a file in the project, otherwise absolute. */
  readonly path: string
  readonly task: string
  readonly how: "read" | "written"
}

/** The state of a file, or of a part of it, when the run last saw it. */
interface Seen extends Omit<ChangedFile, "path"> {
  readonly hash: string
  /** The hash of the current content. `null` for an unreadable file, absent if no rule permits reading it. */
  readonly now: Effect.Effect<string | null | undefined, never, RunSettings | Workspace>
}

/** How the run last saw each file (by canonical path) and each of its parts. The key `""` stands for the whole file. */
type SeenFiles = Map<string, Map<string, Seen>>

const wholeFile = ""

/** The context for reading a file again. Nobody can be asked, so a file that needs a question is not opened. */
const context: ReferenceContext = {
  document: readMarkdown(""),
  finished: [],
  expected: [],
  tooLate: [],
  tree: Effect.succeed([]),
  mayRead: () => Effect.succeed(true)
}

const shownNow = (reference: FileReference): Seen["now"] =>
  Effect.match(resolveFile(reference, context), {
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

/** The files that changed after the run last saw them, in the order in which it saw them. */
const changedFiles = Effect.fn("changedFiles")(function* (touches: ReadonlyArray<FileTouch>) {
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

/** The maximum number of changed files that a warning names. */
const mostNamed = 10

/** The part of a journal that certainly comes from this user. */
interface Proven {
  /** The first record of the proven part. */
  readonly provenFrom: number
  /** Why no key can prove any part of the journal; undefined if one can. */
  readonly problem: string | undefined
}

const note = (code: "files-changed" | "journal-unproven" | "records-unknown", text: string | undefined) =>
  text === undefined ? [] : [{ code, text }]

const keyMissing = (problem: string): string =>
  `What this run is allowed will be asked again when it is resumed, because its journal cannot be proven to be yours. The key cannot be used: ${problem}.`

const unproven = ({ problem, provenFrom }: Proven): string | undefined => {
  if (provenFrom === 1) return problem === undefined ? undefined : keyMissing(problem)
  const which = problem === undefined ? "" : ` (the key cannot be used: ${problem})`
  return `The journal of this run is not proven to be yours${which}: another person, another machine or an older version of task-conductor wrote or changed it. Approvals in it do not count and are asked for again, and its host and plugins are not used.`
}

const changed = (runId: string, files: ReadonlyArray<ChangedFile>): string | undefined => {
  const [first] = files
  if (first === undefined) return undefined
  const named = files.slice(0, mostNamed).map(({ how, path, task }) => `${path} (${how} by "${task}")`)
  const more = files.length > mostNamed ? ` and ${files.length - mostNamed} more` : ""
  return `Files changed since this run used them: ${named.join(", ")}${more}. What finished tasks found may no longer hold. The run continues with the changed files. To do a task and all after it again: task-conductor fork ${runId} --from "${first.task}"`
}

export class ResumeNotes extends Context.Service<
  ResumeNotes,
  { readonly read: Effect.Effect<ReturnType<typeof note>, never, RunSettings | Workspace> }
>()("task-conductor/services/pipeline/ResumeNotes") {
  /** The notes of a new run that has no journal. */
  static readonly layerNone = Layer.succeed(ResumeNotes)({ read: Effect.succeed([]) })

  /** The notes of a new run with a journal. `problem` says why nobody can prove later who wrote the journal. */
  static readonly layerNew = (problem: string | undefined) =>
    Layer.succeed(ResumeNotes)({
      read: Effect.succeed(note("journal-unproven", problem === undefined ? undefined : keyMissing(problem)))
    })

  static readonly layer = ({ lines, opened }: JournalContent, proven: Proven) =>
    Layer.succeed(ResumeNotes)({
      read: Effect.map(
        Effect.suspend(() => changedFiles(fileTouches(readRecords(lines)))),
        (files) => [
          ...note("journal-unproven", unproven(proven)),
          ...note("records-unknown", leftOutNote(lines)),
          ...note("files-changed", changed(opened.order.runId, files))
        ]
      )
    })
}
