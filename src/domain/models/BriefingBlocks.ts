/**
 * What the host knows, as the blocks that every prompt shares, and the request document made of them. The stages fill
 * their templates with these blocks; references resolve their anchors in the document.
 */
import type { Briefing } from "./Briefing.ts"
import { nestMarkdown } from "../markdown/MarkdownTree.ts"
import { fenced, fencedBlock, rawBlock } from "../markdown/PromptBlock.ts"

/** A briefing before its request document is made. */
export type BriefingParts = Omit<Briefing, "requestDocument">

/** The blocks by placeholder; a block of which nothing is known is empty. */
export interface BriefingBlocks {
  readonly user_prompt: string
  readonly environment: string
  readonly project_description: string
  readonly current_file: string
  readonly open_files: string
}

const oneLine = (path: string): string => path.replace(/[\r\n]+/g, " ")

const currentFileBlock = (file: Briefing["currentFile"]): string => {
  if (file === undefined) return ""
  const cut = file.cutFrom === undefined ? "" : ` (the first lines; the file has ${file.cutFrom})`
  return rawBlock("## Current file", `Path: ${oneLine(file.path)}${cut}\n\n${fenced(file.text, file.language)}`)
}

/**
 * The blocks `## User prompt`, `## Environment`, `## Project description`, `## Current file`, `## Open files`. Headings
 * inside the project description are moved below its own.
 */
export const briefingBlocks = (briefing: BriefingParts): BriefingBlocks => ({
  user_prompt: fencedBlock("## User prompt", briefing.prompt, "text"),
  environment: rawBlock("## Environment", briefing.environment),
  project_description: rawBlock("## Project description", nestMarkdown(briefing.projectDescription, 2)),
  current_file: currentFileBlock(briefing.currentFile),
  open_files: rawBlock("## Open files", briefing.openFiles.map((path) => `- ${oneLine(path)}`).join("\n"))
})

/**
 * The document in which anchors resolve. The project description comes last: a heading of its own that is called
 * like one of ours gets the numbered slug, ours stay `user-prompt`, `environment`, `current-file`, `open-files`.
 */
export const requestDocument = (briefing: BriefingParts): string => {
  const blocks = briefingBlocks(briefing)
  return [
    blocks.user_prompt,
    blocks.environment,
    blocks.current_file,
    blocks.open_files,
    blocks.project_description
  ].join("")
}
