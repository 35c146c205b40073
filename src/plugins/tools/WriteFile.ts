/**
 * The tools `write_file` (creates or replaces a file), `edit_file` (replaces parts of a file), `remove_file` and
 * `move_file`.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  type CanonicalAccess,
  changePreview,
  FileKind,
  type TextEdit,
  tool,
  type ToolFailure,
  Workspace
} from "../../plugin-kit.ts"
import { optional } from "./parameters.ts"

const WriteParameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "The file, relative to the project or absolute." }),
  content: Schema.String.annotate({ description: "The whole new text of the file." }),
  kind: optional(FileKind, "Makes it executable, not executable, or a link; the content of a link is where it leads.")
})

/**
 * The maximum number of lines of a diff. The length of a line is limited too, so a diff is always shorter than the
 * output's limit.
 */
const diffLines = 100

/** Writes the file and returns a diff. There is no diff if the file is larger than `maxBytes` or is not text. */
const writeGranted = Effect.fnUntraced(function* (
  granted: CanonicalAccess & { readonly _tag: "WriteFile" },
  maxBytes: number
) {
  const workspace = yield* Workspace
  const { content, path, removes = false } = granted
  const before = yield* Effect.match(workspace.readText(path, maxBytes), {
    onSuccess: (text) => ({ text, readable: true }),
    onFailure: ({ type }) => ({ text: undefined, readable: type === "not_found" })
  })
  yield* workspace.write(granted)
  const name = path.startsWith(`${workspace.root}/`) ? path.slice(workspace.root.length + 1) : path
  const { holds } = granted
  if (removes && holds?.leads !== undefined) return changePreview(name, holds.leads, undefined, diffLines)
  if (removes && !before.readable) return `--- ${name}\n+++ /dev/null\n(${holds?.size ?? 0} bytes that are no text)`
  return before.readable
    ? changePreview(name, before.text, removes ? undefined : content, diffLines)
    : "(The old content could not be read, so there is no diff.)"
})

/** The fields of an edit have no descriptions, because these would make prompts longer. */
const Edits = Schema.NonEmptyArray(
  Schema.Struct({
    old_text: Schema.NonEmptyString,
    new_text: Schema.String,
    replace_all: Schema.optionalKey(Schema.Boolean)
  })
).annotate({ description: "Several replacements in this file, instead of old_text and new_text." })

const EditParameters = Schema.Struct({
  path: Schema.NonEmptyString.annotate({ description: "The file, relative to the project or absolute." }),
  old_text: optional(
    Schema.NonEmptyString,
    "The text to replace, exactly as it stands in the file with all blanks. It must occur once."
  ),
  new_text: optional(Schema.String, "The text that takes its place."),
  replace_all: optional(Schema.Boolean, "Replace every place where old_text occurs. Default: false."),
  edits: Schema.optionalKey(Edits)
}).check(
  Schema.makeFilter(({ edits, new_text, old_text }) => {
    const isSingle = old_text !== undefined && new_text !== undefined
    const isNone = old_text === undefined && new_text === undefined
    return (isSingle && edits === undefined) || (isNone && edits !== undefined)
      ? true
      : "Give either old_text and new_text, or edits"
  })
)
type EditParameters = typeof EditParameters.Type

const textEdit = ({ new_text, old_text, replace_all }: (typeof Edits.Type)[number]): TextEdit => ({
  oldText: old_text,
  newText: new_text,
  ...(replace_all === undefined ? {} : { replaceAll: replace_all })
})

const editsOf = ({ edits, new_text = "", old_text = "", replace_all = false }: EditParameters) => {
  const [first, ...more] = edits ?? [{ old_text, new_text, replace_all }]
  return [textEdit(first), ...more.map(textEdit)] as const
}

/** The tool `write_file`. The result has no diff if it replaces a file larger than `maxBytes`. */
export const writeFile = (maxBytes: number) =>
  tool({
    description:
      "Creates a file of the project or replaces its whole text. Returns the path, the number of bytes and a diff.",
    parameters: WriteParameters,
    risk: "high",
    effect: "idempotent",
    example: { path: "docs/notes.md", content: "# Notes\n" },
    errors: {
      validation_failed: "The file changed after the call was allowed, or its encoding lacks a character of the text.",
      permission_denied: "It was denied, or lies outside the project or controls git or this program.",
      io_error: "The system does not let it be written."
    },
    access: ({ content, kind, path }) => [
      { _tag: "WriteFile", path, content, ...(kind === undefined ? {} : { kind }) }
    ],
    execute: Effect.fnUntraced(function* (_params: typeof WriteParameters.Type, { granted: [granted] }) {
      if (granted?._tag !== "WriteFile") return yield* Effect.die("write_file got no file to write")
      const { content, path } = granted
      const diff = yield* writeGranted(granted, maxBytes)
      return { path, bytes: new TextEncoder().encode(content).length, diff }
    })
  })

/** The tool `edit_file`. The result has no diff for a file larger than `maxBytes`. */
export const editFile = (maxBytes: number) =>
  tool({
    description:
      "Replaces a text in a file of the project and leaves the rest as it is. Returns the path and a diff. Use it to change a part of a file; put all changes of one file into one call.",
    parameters: EditParameters,
    risk: "high",
    effect: "once",
    errors: {
      validation_failed:
        "The text does not occur, or more than once; the file changed after the call was allowed; or its encoding lacks a character.",
      permission_denied: "It was denied, or lies outside the project or controls git or this program.",
      not_found: "There is no file at the path; the message names the nearest.",
      io_error: "The system does not let it be read or written.",
      parse_error: "It is not text."
    },
    example: {
      path: "src/limits.ts",
      old_text: 'const limit = 5\nconst unit = "s"',
      new_text: 'const limit = 10\nconst unit = "s"'
    },
    access: (params) => [{ _tag: "EditFile", path: params.path, edits: editsOf(params) }],
    execute: Effect.fnUntraced(function* (_params: EditParameters, { granted: [granted] }) {
      if (granted?._tag !== "WriteFile") return yield* Effect.die("edit_file got no file to write")
      return { path: granted.path, diff: yield* writeGranted(granted, maxBytes) }
    })
  })

/** The maximum number of files that are named. */
const namedFiles = 20

/** The first granted paths, relative to the project. */
const namesOf = Effect.fnUntraced(function* (granted: ReadonlyArray<CanonicalAccess & { readonly _tag: "WriteFile" }>) {
  const { root } = yield* Workspace
  return granted
    .slice(0, namedFiles)
    .map(({ path }) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path))
})

const writesOf = (granted: ReadonlyArray<CanonicalAccess>) => granted.filter((access) => access._tag === "WriteFile")

/** The tool `remove_file`. The result has no diff if the file is larger than `maxBytes` or is not text. */
export const removeFile = (maxBytes: number) =>
  tool({
    description:
      "Removes a file of the project, a link, or a folder with everything in it. Returns the path and a diff.",
    parameters: Schema.Struct({ path: WriteParameters.fields.path }),
    risk: "high",
    effect: "idempotent",
    errors: {
      not_found: "There is nothing at the path; the message names the nearest.",
      validation_failed: "The file changed after the call was allowed, or the folder holds too many files.",
      permission_denied: "It was denied, or lies outside the project or controls git or this program.",
      io_error: "The system does not let it be removed."
    },
    example: { path: "docs/old.md" },
    access: ({ path }) => [{ _tag: "RemoveFile", path }],
    execute: Effect.fnUntraced(function* (
      _params: { readonly path: string },
      { granted }
    ): Effect.fn.Return<Schema.Json, ToolFailure, Workspace> {
      const writes = writesOf(granted)
      const [first] = writes
      if (first === undefined) return yield* Effect.die("remove_file got no file to remove")
      if (first.folder === undefined) return { path: first.path, diff: yield* writeGranted(first, maxBytes) }
      const workspace = yield* Workspace
      for (const write of writes) yield* workspace.write(write)
      return { path: first.folder, files: writes.length, removed: yield* namesOf(writes) }
    })
  })

export const moveFile = tool({
  description:
    "Moves a file of the project, a link, or a folder with everything in it to another path where nothing is. Returns both paths.",
  parameters: Schema.Struct({
    path: WriteParameters.fields.path,
    to: Schema.NonEmptyString.annotate({ description: "The new path, or a folder and a slash." })
  }),
  risk: "high",
  effect: "idempotent",
  errors: {
    not_found: "There is nothing at the path; the message names the nearest.",
    validation_failed:
      "Something is at the new path, the file changed after the call was allowed, or the folder holds too many files.",
    permission_denied: "It was denied, or lies outside the project or controls git or this program.",
    io_error: "The system does not let it be moved."
  },
  example: { path: "docs/old.md", to: "docs/archive/old.md" },
  access: ({ path, to }) => [{ _tag: "MoveFile", path, to }],
  execute: Effect.fnUntraced(function* (
    _params: { readonly path: string; readonly to: string },
    { granted }
  ): Effect.fn.Return<Schema.Json, ToolFailure, Workspace> {
    const writes = writesOf(granted)
    const destinations = writes.filter(({ removes }) => removes !== true)
    const [first] = destinations
    if (first?.from === undefined) return yield* Effect.die("move_file got no file to move")
    const workspace = yield* Workspace
    for (const write of destinations) yield* workspace.write(write)
    for (const write of writes) if (write.removes === true) yield* workspace.write(write)
    return first.folder === undefined
      ? { path: first.from.path, to: first.path }
      : { to: first.folder, files: destinations.length, moved: yield* namesOf(destinations) }
  })
})
