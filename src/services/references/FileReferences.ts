/**
 * Resolves references to files. Finds the file, corrects a wrong leading slash, and selects the lines or the heading
 * that the reference names. If there is no such file, suggests the nearest files. Also checks paths in the inputs of a
 * task.
 */
import { counted } from "../../domain/text/Format.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import ignore from "ignore"
import type { InputValue } from "../../domain/documents/TaskOutcome.ts"
import { bareHrefOfPath } from "../../domain/files/FileHref.ts"
import { languageOf } from "../../domain/files/Language.ts"
import { nearestPaths } from "../../domain/files/PathList.ts"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import { type Issue, makeIssue } from "../../domain/findings/Issue.ts"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import { longerPaths } from "../../domain/grammar/ReferenceForm.ts"
import { readMarkdown, sectionMarkdown } from "../../domain/markdown/Markdown.ts"
import { declarationLines, enclosingLines } from "../../domain/excerpts/EnclosingLines.ts"
import type { ReferenceContent, ResolvedReference } from "../../domain/models/ReferenceContent.ts"
import type { FileReference } from "../../domain/plan/Reference.ts"
import type { SkillInput } from "../../domain/skills/Skill.ts"
import { countLines, type LineRange, takeLines } from "../../domain/text/LineRange.ts"
import { nearest } from "../../domain/text/Nearest.ts"
import { encodingNote } from "../../domain/text/TextEncoding.ts"
import type { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { isFileAt, Workspace } from "../files/Workspace.ts"
import { type ReferenceProblem, type ReferenceContext, checkAccess, perhaps, problem } from "./ReferenceContext.ts"
import { RunSettings } from "../runs/RunSettings.ts"

interface Found {
  readonly reference: FileReference
  readonly path: string
  readonly inside: boolean
}

const unreadable = (failure: ToolFailure): ReferenceProblem => problem("reference-unreadable", failure.message)

export const nearestFiles = (target: string, tree: ReadonlyArray<string>): ReadonlyArray<string> =>
  nearestPaths(target, tree).map(bareHrefOfPath)

const globProblem = (target: string, tree: ReadonlyArray<string>): ReferenceProblem => {
  const pattern = ignore({ ignorecase: false }).add(`/${target}`)
  const matches = tree.filter((path) => pattern.ignores(path))
  const some = matches.slice(0, 3).map(bareHrefOfPath).join(", ")
  return problem(
    "reference-glob",
    `"${target}" is a pattern, and a reference is one file. It matches ${counted(matches.length, "file")}.`,
    matches.length === 0 ? "Refer to files by their paths." : `Refer to each file that is needed, such as ${some}.`
  )
}

const withTarget = (reference: FileReference, target: string): FileReference => {
  const fragment = /#.*$/s.exec(reference.href)?.[0] ?? ""
  return { ...reference, target, href: `${bareHrefOfPath(target)}${fragment}` }
}

/** The reference with its leading slash removed, relative to the project. */
export const fromProject = (reference: FileReference): FileReference =>
  withTarget(reference, reference.target.replace(/^[\\/]+/, ""))

/** Says why there is no file at a path, and which files exist nearby. */
const explainMissing = Effect.fnUntraced(function* ({ inside, path, reference }: Found, context: ReferenceContext) {
  const workspace = yield* Workspace
  const tree = yield* context.tree.pipe(Effect.orElseSucceed(() => []))
  const relative = inside ? path.slice(workspace.root.length + 1) : path.replace(/^\/+/, "")
  const within = tree.filter((file) => relative === "" || file.startsWith(`${relative}/`))
  if (within.length > 0) {
    const some = within.slice(0, 3).map(bareHrefOfPath).join(", ")
    return problem(
      "reference-folder",
      `"${reference.target}" is a folder with ${counted(within.length, "file")}, and a reference is one file.`,
      `Refer to the files that are needed, such as ${some}.`
    )
  }
  /** An entry that is no file, such as an empty folder or a pipe, is not reported as missing. */
  const readFailure = inside
    ? yield* Effect.flip(workspace.readText(path, 0)).pipe(Effect.option)
    : Option.none<ToolFailure>()
  if (Option.isSome(readFailure) && readFailure.value.type === "io_error") return unreadable(readFailure.value)
  if (/[*?[{]/.test(reference.target)) return globProblem(relative, tree)
  const how = perhaps(nearestFiles(relative, tree), ruleOf("reference-missing").fix)
  return problem("reference-missing", `There is no file "${reference.target}".`, how)
})

/**
 * The project file that a reference means. The reference may spell the path differently. Text after a `#` may belong to
 * the path, so the longest existing path is used.
 */
export const meantFile = Effect.fnUntraced(function* (reference: FileReference) {
  const workspace = yield* Workspace
  for (const form of [...longerPaths(reference), reference]) {
    const target = yield* workspace.meant(form.target)
    const place = yield* Effect.option(workspace.canonical(target))
    if (Option.isNone(place) || !place.value.inside || !(yield* isFileAt(workspace, place.value.path))) continue
    return { reference: target === form.target ? form : withTarget(form, target), ...place.value }
  }
  return undefined
})

const find = Effect.fnUntraced(function* (reference: FileReference, context: ReferenceContext) {
  const workspace = yield* Workspace
  const inProject = yield* meantFile(reference)
  if (inProject !== undefined) return inProject
  const direct = yield* Effect.mapError(workspace.canonical(reference.target), unreadable)
  /** A file outside the project must be permitted before the message may say whether it exists. */
  if (context.permit !== undefined && !direct.inside) {
    yield* context.permit({ _tag: "ReadFile", path: direct.path, inside: false })
  }
  if (yield* isFileAt(workspace, direct.path)) return { reference, ...direct }
  return yield* yield* explainMissing({ reference, ...direct }, context)
})

const lineProblem = ({ href, target }: FileReference, text: string): ReferenceProblem => {
  const count = countLines(text)
  const how = count === 0 ? "The file is empty." : `It has the lines 1 to ${count}.`
  return problem("reference-lines", `"${href}" names lines that ${target} does not have.`, how)
}

interface Part {
  readonly text: string
  readonly first?: number
  readonly of?: number
}

const sectionPart = (text: string, section: string): Part => {
  const at = text.indexOf(section)
  const isThere = at >= 0 && section !== "" && text.indexOf(section, at + 1) < 0
  return isThere ? { text: section, first: countLines(text.slice(0, at)) + 1, of: countLines(text) } : { text: section }
}

/** A range is widened to the declaration around it only if the declaration has at most this many lines. */
const longestDeclaration = 400

/**
 * The lines of the declaration around a range. If there is no such declaration, or if it is too long, returns the range
 * itself.
 */
const aroundRange = (lines: ReadonlyArray<string>, language: string, range: LineRange): LineRange => {
  const found = range.to > lines.length ? undefined : declarationLines(lines, language)(range)
  return found === undefined || found.to - found.from >= longestDeclaration ? range : found
}

/**
 * The part of a text that the fragment of a reference names, or the whole text. A single line is widened to its block.
 * Several lines are widened to the declaration around them.
 */
const narrow = Effect.fnUntraced(function* (reference: FileReference, text: string, language: string) {
  const { heading, lines, target } = reference
  if (lines !== undefined) {
    const all = text.replace(/\n$/, "").split("\n")
    const isLine = lines.from === lines.to && lines.from >= 1 && lines.from <= all.length
    const isThere = lines.from >= 1 && lines.from <= lines.to && lines.from <= all.length
    const range = isLine
      ? enclosingLines(all, language)(lines.from)
      : isThere
        ? aroundRange(all, language, { from: lines.from, to: Math.min(lines.to, all.length) })
        : lines
    const part = yield* Effect.fromOption(takeLines(text, range)).pipe(
      Effect.mapError(() => lineProblem(reference, text))
    )
    return { text: part, first: range.from, of: countLines(text) } satisfies Part
  }
  if (heading === undefined) return { text, first: 1 } satisfies Part
  const document = readMarkdown(text)
  const anchors = document.sections.map(({ anchor }) => anchor)
  const section = sectionMarkdown(document, heading)
  if (Option.isSome(section)) return sectionPart(text, section.value)
  const how = perhaps(
    nearest(heading, anchors).map((anchor) => `${bareHrefOfPath(target)}#${anchor}`),
    `Refer to lines instead, such as ${bareHrefOfPath(target)}#L1-L50.`
  )
  return yield* problem("reference-heading-unknown", `${target} has no heading "#${heading}".`, how)
})

/** The maximum number of bytes that are read from a file that is too large to read as a whole. */
const partBytes = 1_048_576

/** The lines that a reference names in a file that is too large to read whole. */
const linesOfLarge = Effect.fnUntraced(function* ({ path, reference }: Found, language: string, tooLarge: ToolFailure) {
  const workspace = yield* Workspace
  const { href, lines, target } = reference
  if (lines === undefined) {
    const [size = ""] = tooLarge.message.split(". ")
    const how = `Refer to the lines that are needed, such as ${bareHrefOfPath(target)}#L1-L200, or let a task search it.`
    return yield* problem("reference-unreadable", `${size}.`, how)
  }
  const text = yield* Effect.mapError(workspace.readText(path, partBytes, lines), ({ message, type }) =>
    type === "validation_failed"
      ? problem("reference-lines", `"${href}" names lines that it does not have.`, message)
      : problem("reference-unreadable", message)
  )
  return { kind: "file", language, text, first: lines.from } satisfies ReferenceContent
})

/**
 * Returns the content of a file reference. When a plan is checked, nobody is asked: a file that needs a question is not
 * read, and only has to exist.
 */
export const resolveFile = Effect.fn("resolveFile")(function* (reference: FileReference, context: ReferenceContext) {
  const workspace = yield* Workspace
  const { limits } = yield* RunSettings
  const file = yield* find(reference, context)
  const { inside, path } = file
  const resolved = (content: ReferenceContent): ResolvedReference => ({ reference: file.reference, content })
  const access = { _tag: "ReadFile", path, inside } as const
  yield* checkAccess(context, access)
  if (context.permit === undefined) {
    const isOpen = inside && !isSecretLike(path) && context.mayRead !== undefined && (yield* context.mayRead(path))
    if (!isOpen) return resolved({ kind: "later" })
  } else if (inside) {
    yield* context.permit(access)
  }
  const language = languageOf(path)
  const read = yield* Effect.result(workspace.readText(path, limits.readFileBytes))
  if (Result.isFailure(read) && read.failure.type === "output_limit") {
    return resolved(yield* linesOfLarge(file, language, read.failure))
  }
  const whole = yield* Effect.mapError(Effect.fromResult(read), unreadable)
  const part = yield* narrow(file.reference, whole, language)
  const encoding = encodingNote(yield* workspace.encoding(path))
  return resolved({ kind: "file", language, ...part, ...(encoding === undefined ? {} : { encoding }) })
})

/** True if a file or folder exists at the path. The folder may be empty. */
const exists = Effect.fnUntraced(function* (path: string, tree: ReadonlyArray<string>) {
  const workspace = yield* Workspace
  const file = yield* Effect.option(workspace.canonical(path))
  if (file._tag === "None") return false
  // A path outside the project is accepted. Only a call may reveal what exists there, after the gate has decided.
  if (!file.value.inside || file.value.path === workspace.root) return true
  if (yield* isFileAt(workspace, file.value.path)) return true
  const relative = file.value.path.slice(workspace.root.length + 1)
  if (tree.some((file) => file.startsWith(`${relative}/`))) return true
  const failure = yield* Effect.option(Effect.flip(workspace.readText(file.value.path, 0)))
  return failure._tag === "Some" && failure.value.type !== "not_found"
})

/** Returns an issue for each missing path, with the files whose paths are most similar. */
export const checkInputPaths = Effect.fn("checkInputPaths")(function* (
  inputs: ReadonlyArray<SkillInput>,
  values: ReadonlyArray<InputValue>,
  task: string
) {
  const paths = values.filter(({ name }) => inputs.some((input) => input.name === name && input.type === "path"))
  if (paths.length === 0) return []
  const workspace = yield* Workspace
  const tree = yield* Effect.orElseSucceed(workspace.tree, (): ReadonlyArray<string> => [])
  const issues: Array<Issue> = []
  for (const { name, value } of paths) {
    const path = String(value)
    if (yield* exists(path, tree)) continue
    issues.push(
      makeIssue(
        "input-path-missing",
        { section: "Inputs", task, field: name },
        {
          what: `There is no file or folder "${path}" in the project.`,
          how: perhaps(nearestFiles(path, tree), ruleOf("input-path-missing").fix),
          quote: path
        }
      )
    )
  }
  return issues
})
