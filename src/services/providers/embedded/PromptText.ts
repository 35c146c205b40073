/**
 * What the embedded model reads out of a prompt: the stage, the blocks of the user part, the skills and tools on offer.
 * It knows a prompt only as text, like any other model.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fencedBlocks, outline } from "../../../domain/markdown/Outline.ts"
import type { TemplateName } from "../../../domain/models/PromptTemplate.ts"
import type { CodeBlock } from "../../../domain/markdown/CodeBlock.ts"

/** The stage that a system part names in its line `# Stage: creation`; nothing for any other prompt. */
export const stageIn = (system: string): Option.Option<TemplateName> => {
  const name = /^# Stage: (creation|refinement|execution|iteration|conclusion)$/m.exec(system)?.[1]
  return Option.fromUndefinedOr(name as TemplateName | undefined)
}

/** A block of the user part: `title` is its heading, for a call its tool; `uid` and `href` as the heading says. */
export interface PromptBlock {
  readonly kind: "block" | "reference" | "call" | "output"
  readonly title: string
  readonly uid: string
  readonly href: string
  readonly text: string
}

const early = /^(?:User prompt|Environment|Project description|Current file|Open files|Goals \/ summary)$/
const late =
  /^(?:Task|Inputs|Tool Calls|Outputs from completed tasks|Tasks that failed|Outstanding tasks|Previous proposal|Your previous answer|Issues with .+)$/

type Head = Omit<PromptBlock, "text">

/** Reads a heading as the beginning of a block. What is quoted by a reference may repeat headings of the prompt. */
const headOf = (level: number, title: string, isQuoting: boolean): Head | undefined => {
  const reference = /^Reference information for (.+)$/.exec(title)
  if (reference !== null) return { kind: "reference", title: reference[1] ?? "", uid: "", href: "" }
  const call = /^Tool call (\S+) \((.*)\)( output)?$/i.exec(title)
  if (call !== null) {
    return { kind: call[3] === undefined ? "call" : "output", title: call[1] ?? "", uid: call[2] ?? "", href: "" }
  }
  const isBlock = level === 2 && (late.test(title) || (early.test(title) && !isQuoting))
  return isBlock ? { kind: "block", title, uid: "", href: "" } : undefined
}

/** The heading of a reference may stand without hashes; it is read like one that has them. */
const withHashes = (user: string): string => user.replace(/^(?=Reference information for )/gm, "## ")

/** The blocks of a user part in order. Headings inside of a block belong to its text. */
export const blocksIn = (user: string): ReadonlyArray<PromptBlock> => {
  const blocks: Array<PromptBlock> = []
  for (const { body, level, title } of outline(withHashes(user))) {
    const last = blocks.at(-1)
    const head = headOf(level, title, last?.kind === "reference")
    if (head !== undefined) {
      const href = head.kind === "reference" ? /^The contents of (.+)$/m.exec(body) : null
      blocks.push({ ...head, href: href?.[1] ?? "", text: (href === null ? body : body.replace(href[0], "")).trim() })
    } else if (last !== undefined) {
      const heading = level === 0 ? "" : `${"#".repeat(level)} ${title}\n\n`
      blocks[blocks.length - 1] = { ...last, text: `${last.text}\n\n${heading}${body}`.trim() }
    }
  }
  return blocks
}

/** The text of the block with this heading, empty when there is none. */
export const blockText = (blocks: ReadonlyArray<PromptBlock>, title: string): string =>
  blocks.findLast((block) => block.kind === "block" && block.title === title)?.text ?? ""

/** What the person asked: the text in the fence of the block "User prompt". */
export const userPromptIn = (blocks: ReadonlyArray<PromptBlock>): string =>
  fencedBlocks(blockText(blocks, "User prompt"))[0]?.text ?? ""

/** A line `- name: description` of the catalogue. */
export interface OfferedSkill {
  readonly name: string
  readonly description: string
}

const sectionText = (system: string, title: string): string => {
  const sections = outline(system)
  const start = sections.findIndex((section) => section.level === 2 && section.title === title)
  return start < 0
    ? ""
    : sections
        .slice(start)
        .map((section) => section.body)
        .join("\n\n")
}

/** The skills that a planner may choose from. */
export const skillsIn = (system: string): ReadonlyArray<OfferedSkill> =>
  [...sectionText(system, "Skills").matchAll(/^- ([^\s:]+): (.+)$/gm)].map(([, name = "", description = ""]) => ({
    name,
    description
  }))

const Parameter = Schema.Struct({
  type: Schema.optionalKey(Schema.Unknown),
  enum: Schema.optionalKey(Schema.Array(Schema.Json)),
  items: Schema.optionalKey(Schema.Unknown)
})
export type Parameter = typeof Parameter.Type

/** A tool as the instructions describe it. */
export const OfferedTool = Schema.Struct({
  name: Schema.String,
  description: Schema.optionalKey(Schema.String),
  parameters: Schema.Struct({
    properties: Schema.optionalKey(Schema.Record(Schema.String, Parameter)),
    required: Schema.optionalKey(Schema.Array(Schema.String))
  })
})
export type OfferedTool = typeof OfferedTool.Type

const decodeTool = Schema.decodeUnknownOption(Schema.fromJsonString(OfferedTool))

/** The tools whose JSON description stands in the instructions; example calls are passed over. */
export const toolsIn = (system: string): ReadonlyArray<OfferedTool> =>
  fencedBlocks(sectionText(system, "Tools")).flatMap(({ text }) => Option.toArray(decodeTool(text)))

/** The fields of the task in the block "Task" by label, and the fenced blocks that belong to it. */
export interface TaskText {
  readonly markdown: string
  readonly field: (label: string) => string
  readonly codeBlocks: ReadonlyArray<CodeBlock>
}

/** Reads the task of a prompt. */
export const taskIn = (blocks: ReadonlyArray<PromptBlock>): TaskText => {
  const markdown = blockText(blocks, "Task")
  const prose = markdown.split(/^ *(?:`{3,}|~{3,})/m, 1)[0] ?? ""
  const parts = prose.split(/^\s*- \*\*(.+?)\*\*/m)
  return {
    markdown,
    field: (label) => (parts[parts.indexOf(label) + 1] ?? "").replace(/\s+/g, " ").trim(),
    codeBlocks: fencedBlocks(markdown)
  }
}
