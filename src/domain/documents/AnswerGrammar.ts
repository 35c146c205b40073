/**
 * Writes the grammar of answers in GBNF, for servers such as llama.cpp that can force a model to follow a grammar. The
 * readers accept every text of the grammar without an issue (test/domain/documents/AnswerGrammar.test.ts). They accept
 * other texts as well.
 */
import { changeMarks } from "../files/ChangeMarks.ts"
import { type KnownHeadings, turnHeadings, resultHeadings, taskListHeadings } from "../markdown/MarkdownHeadings.ts"
import { fieldLabels } from "../markdown/TaskFields.ts"
import { either, literal, makeJson, makeRules, optional, type Part, type Rules, sequence, times } from "../text/Gbnf.ts"
import type { ToolInfo } from "../tools/ToolCall.ts"
import { isSchema } from "../tools/ToolSchema.ts"

/** The line of the heading with this slug, as the strict format writes it. */
const headingLine = (known: KnownHeadings, slug: string): string => {
  const found = known(slug)
  return found === undefined ? "" : `${"#".repeat(found.depth)} ${found.title}`
}

const label = (key: keyof typeof fieldLabels): string => `- **${fieldLabels[key]}**`

/** Visible characters that markdown cannot read as marks, tags, links or a line end. */
const plainCharacter = String.raw`[^\x00-\x1F\x7F-\xA0\u00AD\u034F\u0600-\u0605\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u3000\u3164\uD800-\uF8FF\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFF\\<>\[\]\x60*_~|!&#]`

/** The grammar parts of a line of text. Characters that markdown could read as markup occur only in backticks. */
const makeText = ({ rule }: Rules) => {
  const character = () => rule("character", () => plainCharacter)
  const begin = () =>
    rule("begin", () => String.raw`[A-Za-z0-9\u00C0-\u00D6\u00D8-\u00F6\u0400-\u044F\u4E00-\u9FA5\uAC00-\uD7A3]`)
  const code = () =>
    rule("code", () => String.raw`"\x60" [A-Za-z0-9_./$(@-] [^\x00-\x1F\x7F-\uFFFF\x60]{0,80} "\x60" [ .,;:)]`)
  const link = () =>
    rule(
      "link",
      () =>
        String.raw`"[" [A-Za-z0-9] [A-Za-z0-9_ ./-]{0,80} "](" [A-Za-z0-9] [A-Za-z0-9_./-]{0,120} ("#L" [1-9] [0-9]{0,4} ("-L" [1-9] [0-9]{0,4})?)? ")"`
    )
  const piece = () => rule("piece", () => either([character(), code(), `"_" [A-Za-z0-9]`]))
  const linkedPiece = () => rule("linked-piece", () => either([piece(), link()]))
  /** A full stop shows that the line is complete. */
  return {
    line: (most: number): Part => sequence(begin(), times(piece(), 2, most), `"."`),
    linked: (most: number): Part => sequence(either([begin(), link()]), times(linkedPiece(), 2, most), `"."`),
    name: (): Part => rule("name", () => String.raw`[A-Za-z] [A-Za-z0-9 ,./-]{1,58} [a-z]`)
  }
}

const mostTasks = 6
const mostSections = 3

/** The skills and links that a plan may use. */
export interface PlanWords {
  readonly skills: ReadonlyArray<string>
  /** Links with their targets, as the field "References" writes them. */
  readonly links: ReadonlyArray<string>
  /** True if the grammar accepts a list without tasks. */
  readonly mayBeEmpty: boolean
}

/**
 * The grammar of a task list. It appends a number to each task name, so that no name occurs twice. It allows no
 * for-each tasks and no links between new tasks.
 */
export const planGrammar = ({ links, mayBeEmpty, skills }: PlanWords): string => {
  const rules = makeRules()
  const { rule } = rules
  const text = makeText(rules)
  const skill = rule("skill", () => either(skills.map(literal)))
  const references = () =>
    rule("references", () => {
      const one = rule("reference", () => either(links.map(literal)))
      return sequence(literal(`\n${label("references")} `), one, times(sequence(`" "`, one), 0, 3))
    })
  const fields = rule("fields", () =>
    sequence(
      literal(`\n${label("needed")} `),
      text.line(800),
      literal(`\n${label("skill")} `),
      skill,
      ...(links.length === 0 ? [] : [optional(references())]),
      literal(`\n${label("expected")} `),
      text.line(300),
      optional(literal(`\n${label("approval")}`))
    )
  )
  const sectionLine = (section: number): string =>
    `${headingLine(taskListHeadings, `task-section-${section}`)} ${section}\n\n`
  /** The task at a position of the list, and optionally the tasks after it. */
  const from = (place: number, section: number): Part =>
    rule(`task-${place}-${section}`, () => {
      const task = sequence(
        literal(`${label("name")} `),
        text.name(),
        ...(place === 1 ? [] : [literal(` (${place})`)]),
        fields
      )
      if (place === mostTasks) return task
      const next = [
        sequence(`"\\n\\n"`, from(place + 1, section)),
        ...(section === mostSections
          ? []
          : [sequence(literal(`\n\n${sectionLine(section + 1)}`), from(place + 1, section + 1))])
      ]
      return sequence(task, optional(either(next)))
    })
  const tasks = sequence(literal(`\n${sectionLine(1)}`), from(1, 1))
  return rules.text(
    sequence(
      literal(`${headingLine(taskListHeadings, "original-prompt")}\n\n${headingLine(taskListHeadings, "goals")}\n\n`),
      text.line(400),
      literal(`\n\n${headingLine(taskListHeadings, "tasks")}\n`),
      mayBeEmpty ? optional(tasks) : tasks,
      `"\\n"`
    )
  )
}

export type OfferedTool = Pick<ToolInfo, "name" | "parameters">

const argumentsOf = ({ parameters }: OfferedTool) => ({
  ...(isSchema(parameters) ? parameters : {}),
  type: "object"
})

const mostCalls = 4

const makeResult = (rules: Rules): Part => {
  const text = makeText(rules)
  return rules.rule("result", () => {
    const line = rules.rule("line", () => sequence(optional(`"- "`), text.linked(1000), `"\\n"`))
    return sequence(
      literal(`${headingLine(resultHeadings, "result-summary")}\n\n`),
      times(line, 1, 12),
      optional(sequence(literal("\n## Details\n\n"), times(line, 1, 40)))
    )
  })
}

const makeCalls = (rules: Rules, tools: ReadonlyArray<OfferedTool>): Part => {
  const { rule } = rules
  const ofSchema = makeJson(rules)
  const tool = rule("tool", () =>
    either(
      tools.map((tool) => sequence(literal(`${JSON.stringify(tool.name)}, "arguments": `), ofSchema(argumentsOf(tool))))
    )
  )
  const call = (place: number): Part =>
    rule(`call-${place}`, () => {
      const one = sequence(literal(`\n\`\`\`json\n{ "uid": "call-${place}", "name": `), tool, literal(" }\n```\n"))
      return place === mostCalls ? one : sequence(one, optional(call(place + 1)))
    })
  return rule("calls", () => sequence(literal(`${headingLine(turnHeadings, "tool-calls")}\n`), call(1)))
}

const makeChanges = ({ rule }: Rules): Part => {
  /** A line of a file. It begins neither with a fence nor with two mark characters. */
  const line = rule(
    "file-line",
    () =>
      String.raw`([ \t]* ([^ \t\x00-\x1F\x7F<>=\x60~] | [<>=\x60~] [^<>=\x60~\x00-\x1F\x7F]) [^\x00-\x08\x0A-\x1F\x7F]*)? "\n"`
  )
  const path = rule(
    "path",
    () => String.raw`[a-z] [a-z0-9_-]{1,30} ("/" [a-z] [A-Za-z0-9_-]{1,30}){0,6} "." [a-z] [a-z0-9]{0,4}`
  )
  const change = rule("change", () =>
    sequence(
      path,
      literal(`\n${changeMarks.open}\n`),
      `${line}+`,
      literal(`${changeMarks.middle}\n`),
      `${line}*`,
      literal(`${changeMarks.close}\n`)
    )
  )
  return rule("changes", () => sequence(change, times(sequence(`"\\n"`, change), 0, 7)))
}

/** An answer in the turns of a task: calls, changes, or the report. */
export const turnGrammar = ({
  mayChange,
  tools
}: {
  readonly mayChange: boolean
  readonly tools: ReadonlyArray<OfferedTool>
}): string => {
  const rules = makeRules()
  return rules.text(
    either([
      ...(tools.length === 0 ? [] : [makeCalls(rules, tools)]),
      ...(mayChange ? [makeChanges(rules)] : []),
      makeResult(rules)
    ])
  )
}

/** The JSON schema of one call, for servers that support JSON schemas but no grammars. */
export const callSchema = (tools: ReadonlyArray<OfferedTool>): object => ({
  anyOf: tools.map((tool) => ({
    type: "object",
    properties: {
      name: { type: "string", enum: [tool.name] },
      arguments: { properties: {}, ...argumentsOf(tool), additionalProperties: false }
    },
    required: ["name", "arguments"],
    additionalProperties: false
  }))
})
