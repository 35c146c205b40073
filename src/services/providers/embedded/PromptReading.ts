/**
 * What the embedded model reads out of a prompt: its stage, its blocks, the task, and the skills and tools on offer. It
 * knows a prompt only as text, like any other model.
 */
import * as Option from "effect/Option"
import { fencedBlocks, outline, type OutlineSection } from "../../../domain/markdown/Outline.ts"
import { readRefinement } from "../../../domain/documents/RefinementFormat.ts"
import type { Task } from "../../../domain/plan/Task.ts"
import type { Arguments } from "../../../domain/tools/ToolCall.ts"

/** `## <title>`, or `### Tool call <name> (<uid>)` together with its output. */
export interface PromptBlock {
  readonly title: string
  readonly text: string
}

const reference = "Reference information for "

const beginsBlock = (level: number, title: string): boolean =>
  level === 2 || /^(?:Tool call \S+ \(.*\)|(?:Not c|C)hanged: .+)$/.test(title)

const stageHeading = "Stage: "

const isStage = ({ level, title }: OutlineSection): boolean => level === 1 && title.startsWith(stageHeading)

/** The stage that a system part names; what it quotes has no heading of the first level. */
export const stageIn = (system: string): string | undefined =>
  outline(system).find(isStage)?.title.slice(stageHeading.length)

/** What a system part says before it names its stage: the facts about the project. */
export const projectBlocksIn = (system: string): ReadonlyArray<PromptBlock> => {
  const sections = outline(system)
  const end = sections.findIndex(isStage)
  return joinBlocks(end < 0 ? [] : sections.slice(0, end))
}

/** The blocks of a user part in order. */
export const blocksIn = (user: string): ReadonlyArray<PromptBlock> => joinBlocks(outline(user))

/** Other headings inside of a block belong to its text. */
const joinBlocks = (sections: ReadonlyArray<OutlineSection>): ReadonlyArray<PromptBlock> => {
  const blocks: Array<PromptBlock> = []
  for (const { body, level, title } of sections) {
    const last = blocks.at(-1)
    if (last === undefined || beginsBlock(level, title)) blocks.push({ title, text: body })
    else blocks.splice(-1, 1, { ...last, text: `${last.text}\n\n${"#".repeat(level)} ${title}\n\n${body}`.trim() })
  }
  return blocks
}

/** The text of the block with this heading, empty when there is none. */
export const blockText = (blocks: ReadonlyArray<PromptBlock>, title: string): string =>
  blocks.findLast((block) => block.title === title)?.text ?? ""

/** What a prompt refers to: a heading, a result, a file or a page. The description of the project is not shown again. */
export const referencesIn = (blocks: ReadonlyArray<PromptBlock>) =>
  blocks.flatMap(({ text, title }) => {
    const [, href = ""] = /^The contents of (.+)/.exec(text) ?? []
    const content = fencedBlocks(text)[0]?.text ?? blockText(blocks, "Project description")
    return title.startsWith(reference) ? [{ title: title.slice(reference.length), href, text: content }] : []
  })

export const userPromptIn = (blocks: ReadonlyArray<PromptBlock>): string =>
  fencedBlocks(blockText(blocks, "User prompt"))[0]?.text ?? ""

export const taskIn = (blocks: ReadonlyArray<PromptBlock>): Task | undefined =>
  Option.getOrUndefined(readRefinement(`## Task\n\n${blockText(blocks, "Task")}`).value)?.task

const after = (text: string, heading: string): string => text.split(`\n${heading}\n`).at(-1) ?? ""

/** Each skill on offer with the line that describes it. */
export const skillsIn = (system: string): ReadonlyMap<string, string> =>
  new Map(
    [...(after(system, "## Skills").split(/^# /m)[0] ?? "").matchAll(/^- ([^\s:]+): .+$/gm)].map(
      ([line, name = ""]) => [name, line]
    )
  )

/** A tool as the instructions describe it; `parameters` is a JSON schema. */
export interface OfferedTool {
  readonly name: string
  readonly description: string
  readonly parameters: Arguments
}

const parameter = /^- `([^`]+)` \((.+?)(, required)?\)(?:: .*)?$/gm

/** The JSON schema of a type that the instructions name. */
const schemaOf = (type: string): Arguments => {
  if (/^(?:"[^"]*"(?: or )?)+$/.test(type)) return { enum: [...type.matchAll(/"([^"]*)"/g)].map(([, one = ""]) => one) }
  const range = /^(integer|number) (-?\d+) to (-?\d+)$/.exec(type)
  if (range !== null) return { type: range[1] ?? "", minimum: Number(range[2]), maximum: Number(range[3]) }
  return { type: /^array\b/.test(type) ? "array" : type }
}

export const toolsIn = (system: string): ReadonlyArray<OfferedTool> =>
  outline(after(system, "## Tools").split(/^## /m)[0] ?? "")
    .filter(({ level }) => level === 3)
    .map(({ body, title }) => {
      const parameters = [...body.matchAll(parameter)]
      const properties = Object.fromEntries(parameters.map(([, name = "", type = ""]) => [name, schemaOf(type)]))
      const required = parameters.flatMap(([, name = "", , isRequired]) => (isRequired === undefined ? [] : [name]))
      return {
        name: title,
        description: body.split("\n")[0] ?? "",
        parameters: { type: "object", properties, required }
      }
    })
