/**
 * What the host knows when a run starts, and the blocks that show it in every prompt. It is never read back from an
 * answer.
 */
import * as Schema from "effect/Schema"
import { nestMarkdown } from "../markdown/MarkdownTree.ts"
import { fenced, fencedBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { Attachment, attachmentAnchor, attachmentBlock } from "./Attachment.ts"
import type { Reference } from "../plan/Reference.ts"
import { numberLines } from "../text/NumberedLines.ts"

/** The file the person is looking at; `text` holds its first lines. */
export const CurrentFile = Schema.Struct({
  path: Schema.String,
  language: Schema.String,
  text: Schema.String,
  /** How many lines the file has, when `text` does not hold all of them. */
  cutFrom: Schema.optionalKey(Schema.Int)
})
export type CurrentFile = typeof CurrentFile.Type

export const Briefing = Schema.Struct({
  prompt: Schema.NonEmptyString,
  /** Raw markdown lines: date, operating system, shell, workspace; only what is known. */
  environment: Schema.String,
  /** Markdown, empty when the project has none. */
  projectDescription: Schema.String,
  /** Markdown without headings; absent when there is none, and in runs that were saved before there were maps. */
  projectMap: Schema.optionalKey(Schema.String),
  /** The files that the description is made of, relative to the project. */
  descriptionFiles: Schema.optionalKey(Schema.Array(Schema.String)),
  currentFile: Schema.optionalKey(CurrentFile),
  openFiles: Schema.Array(Schema.String),
  /** What the person attached, with the room that it has in prompts, in characters. */
  attachment: Schema.optionalKey(Schema.Struct({ ...Attachment.fields, room: Schema.Finite })),
  /** The user part of the filled creation prompt; anchors of references resolve in it. */
  requestDocument: Schema.String,
  /** What the person should know about it; no model sees it. */
  notes: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Briefing = typeof Briefing.Type

/** A briefing before its request document is made. */
export type BriefingParts = Omit<Briefing, "requestDocument">

const oneLine = (path: string): string => path.replace(/[\r\n]+/g, " ")

const currentFileBlock = (file: Briefing["currentFile"]): string => {
  if (file === undefined) return ""
  const cut = file.cutFrom === undefined ? "" : ` (the first lines; the file has ${file.cutFrom})`
  const text = numberLines(file.text.replace(/\n$/, "").split("\n"), 1).join("\n")
  const shown = file.text === "" ? "" : text
  return rawBlock("## Current file", `Path: ${oneLine(file.path)}${cut}\n\n${fenced(shown, file.language)}`)
}

/** True when a path of a reference may be that of a file of the project. */
const isSame = (target: string, path: string): boolean =>
  target.replace(/^\.\//, "") === path || (target.startsWith("/") && target.endsWith(`/${path}`))

/** The heading of the project description, to which references of tasks may refer. */
export const descriptionAnchor = "project-description"

/** What the references of a task show anyway. */
interface Shown {
  readonly description: boolean
  readonly file: boolean
  readonly attachment: boolean
}

const shownBy = (briefing: Briefing, references: ReadonlyArray<Reference>): Shown => {
  const refersTo = (anchor: string, path: string | undefined): boolean =>
    references.some(
      ({ kind, target }) =>
        (kind === "anchor" && target === anchor) || (kind === "file" && path !== undefined && isSame(target, path))
    )
  const { currentFile, descriptionFiles = [] } = briefing
  return {
    description: !refersTo(descriptionAnchor, undefined) && descriptionFiles.some((path) => refersTo("", path)),
    file: currentFile !== undefined && refersTo("current-file", currentFile.path),
    attachment: refersTo(attachmentAnchor, undefined)
  }
}

const without = (briefing: Briefing, shown: Shown): Briefing => {
  const { attachment, currentFile, descriptionFiles: _, ...rest } = briefing
  return {
    ...rest,
    ...(shown.description ? { projectDescription: "" } : {}),
    ...(currentFile === undefined || shown.file ? {} : { currentFile }),
    ...(attachment === undefined || shown.attachment ? {} : { attachment })
  }
}

/** At most eight for each briefing, which stays the same in a run: tasks that share one share the blocks made of it. */
const lefts = new WeakMap<Briefing, Map<string, Briefing>>()

/**
 * The briefing without what the references of a task show anyway, so that nothing stands twice in a prompt: the current
 * file, and the project description when one of its files is shown. The description stays where it is when the task refers
 * to its heading: the prompts of all tasks begin alike, and the reference says where it stands.
 */
export const besideReferences = (briefing: Briefing, references: ReadonlyArray<Reference>): Briefing => {
  const shown = shownBy(briefing, references)
  const key = [shown.description, shown.file, shown.attachment].join()
  const known = lefts.get(briefing) ?? new Map<string, Briefing>()
  lefts.set(briefing, known)
  const left = known.get(key) ?? without(briefing, shown)
  known.set(key, left)
  return left
}

const makeBlocks = (briefing: BriefingParts, isReference: boolean) => ({
  user_prompt: fencedBlock("## User prompt", briefing.prompt, "text"),
  environment: rawBlock("## Environment", briefing.environment),
  project_description: rawBlock("## Project description", nestMarkdown(briefing.projectDescription, 2)),
  project_map: rawBlock("## Project map", briefing.projectMap ?? ""),
  current_file:
    currentFileBlock(briefing.currentFile) +
    attachmentBlock(briefing.attachment, { isReference, room: briefing.attachment?.room ?? 0 }),
  open_files: rawBlock("## Open files", briefing.openFiles.map((path) => `- ${oneLine(path)}`).join("\n"))
})

type BriefingBlocks = ReturnType<typeof makeBlocks>

/** The blocks of each briefing to whose parts tasks can refer: they stand in all prompts of a run. */
const madeBlocks = new WeakMap<BriefingParts, BriefingBlocks>()

/**
 * The blocks `## User prompt`, `## Environment`, `## Project description`, `## Project map`,
 * `## Current file`, `## Open files` by
 * placeholder; empty when nothing is known. Headings inside the project description are moved below its own.
 */
export const briefingBlocks = (briefing: BriefingParts, isReference = true): BriefingBlocks => {
  if (!isReference) return makeBlocks(briefing, isReference)
  const blocks = madeBlocks.get(briefing) ?? makeBlocks(briefing, isReference)
  madeBlocks.set(briefing, blocks)
  return blocks
}

/**
 * The document in which anchors resolve. The project description comes last, so that its headings get the numbered slugs
 * and ours stay `user-prompt`, `environment`, `current-file`, `open-files`, `project-map`.
 */
export const requestDocument = (briefing: BriefingParts): string => {
  const { attachment, ...others } = briefing
  const { current_file, environment, open_files, project_description, project_map, user_prompt } =
    briefingBlocks(others)
  const attached = attachmentBlock(attachment, { isReference: false })
  return user_prompt + environment + current_file + attached + open_files + project_map + project_description
}
