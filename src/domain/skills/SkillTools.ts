/**
 * The tools of a skill with their limits and the files beside it, as the checks and the prompts need them. A skill whose
 * tools do not include `read_file` may call it for its own files, and for nothing else.
 */
import type { Issue } from "../findings/Issue.ts"
import { makeIssue } from "../findings/IssueCode.ts"
import { nestMarkdown } from "../markdown/MarkdownTree.ts"
import type { ToolCall } from "../tools/ToolCall.ts"
import type { Skill } from "./Skill.ts"
import { exceedsLimits, type ToolLimit } from "./AllowedTools.ts"

const reader = "read_file"

/** True for a skill that may read its own files although it does not name the tool. */
const readsOwnFilesOnly = ({ allowedTools = [], files = [] }: Skill): boolean =>
  files.length > 0 && allowedTools.length > 0 && !allowedTools.includes(reader)

/** The tools that tasks of the skill may call; `toolNames` are those of the run. */
export const toolsOfSkill = (skill: Skill, toolNames: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...(skill.allowedTools ?? toolNames), ...(readsOwnFilesOnly(skill) ? [reader] : [])].filter((tool) =>
    toolNames.includes(tool)
  )

/** What the skill may do with its tools. The own files of a skill are always among what it may read. */
const limitsOfSkill = (skill: Skill): ReadonlyArray<ToolLimit> => {
  const { files = [], toolLimits = [] } = skill
  if (readsOwnFilesOnly(skill)) return [...toolLimits, { tool: reader, patterns: files.map(escaped) }]
  return toolLimits.map((limit) =>
    limit.tool === reader ? { tool: reader, patterns: [...limit.patterns, ...files.map(escaped)] } : limit
  )
}

/** A pattern that stands for exactly this path. */
const escaped = (path: string): string => path.replace(/[*\\]/g, "\\$&")

const quoted = (words: ReadonlyArray<string>): string => words.map((word) => `\`${word}\``).join(", ")

/** An issue for each call that the skill does not allow with these arguments. */
export const callsBeyondLimits = (skill: Skill, calls: ReadonlyArray<ToolCall>, task: string): ReadonlyArray<Issue> => {
  const limits = limitsOfSkill(skill)
  return calls
    .filter((call) => exceedsLimits(limits, call))
    .map((call) => {
      const patterns = limits.find(({ tool }) => tool === call.name)?.patterns ?? []
      return makeIssue("tool-call-limited", { section: "Tool Calls", task }, {
        what: `The skill ${skill.name} may not make this call of ${call.name}.`,
        how: `It may call ${call.name} only for ${quoted(patterns)}. Change the call, or remove it.`,
        quote: JSON.stringify(call)
      })
    })
}

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`#### ${title}\n\n${lines.join("\n")}`]

/**
 * The text with the files of the skill as `read_file` takes them: a model copies the path that it sees, and the author
 * wrote it relative to the folder of the skill.
 */
const withWholePaths = (text: string, { files = [], name }: Skill): string => {
  const folder = `/skills/${name}/`
  return files.reduce((changed, file) => {
    const start = file.lastIndexOf(folder)
    if (start < 0) return changed
    const written = file.slice(start + folder.length).replace(/[^\w/]/g, "\\$&")
    return changed.replace(new RegExp(`(?<![\\w./-])(?:\\./)?${written}(?![\\w/-])`, "g"), () => file)
  }, text)
}

/** What the refinement of a task is told of the skill, with its files and limits. Headings stay below those of the prompt. */
export const refinementText = (skill: Skill): string => {
  const { files = [], refinement, toolLimits = [] } = skill
  return [
    ...(refinement.trim() === "" ? [] : [nestMarkdown(withWholePaths(refinement, skill), 3)]),
    ...section("Files of the skill", [
      ...files.slice(0, 1).map(() => "- If the text above sends you to one of them, call `read_file` with this path:"),
      ...files.map((file) => `  - \`${file}\``)
    ]),
    ...section(
      "Limits of the tools",
      toolLimits.map(({ patterns, tool }) => `- Call \`${tool}\` only for ${quoted(patterns)}.`)
    )
  ].join("\n\n")
}

/** What the execution of a task is told of the skill. */
export const executionText = ({ execution }: Skill): string => nestMarkdown(execution, 2)
