/** Recognises what a model wrote instead of a task list, so that the next prompt can name this mistake. */
import * as Result from "effect/Result"
import { readOpen, report } from "../files/ChangeMarks.ts"
import { fencedBlocks, proseLines } from "../markdown/Outline.ts"
import { readNative } from "../tools/native/NativeCalls.ts"
import { readBlock } from "../tools/ToolCallJson.ts"
import { holdsCall } from "../tools/ToolCallTraces.ts"

interface OtherForm {
  readonly what: string
  readonly how: string
}

const headings = 'with the headings "## Original prompt", "## Goals / summary" and "## Tasks", outside any code block'
const mostQuestion = 600

/** The answer, if all of it is a question to the user. Undefined for other answers. */
export const questionOf = (answer: string): string | undefined => {
  const text = answer.trim()
  if (text.length > mostQuestion || fencedBlocks(text).length > 0 || /^#{1,6}\s/m.test(text)) return undefined
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  const asks = lines.filter((line) => /\?[*_)"'`\s]*$/.test(line))
  return asks.length > 0 && asks.length * 2 >= lines.length ? text : undefined
}

const isJson = (text: string): boolean => {
  if (!/^\s*[{[]/.test(text)) return false
  const read = readBlock(text)
  return Result.isSuccess(read) && read.success.values.every((value) => typeof value === "object" && value !== null)
}

/** If the answer is no task list: says what it is instead, and how to correct it. Undefined if this is unclear. */
export const otherForm = (answer: string): OtherForm | undefined => {
  const [fence, ...others] = fencedBlocks(answer)
  const prose = proseLines(answer)
    .map(({ text }) => text)
    .join("\n")
    .trim()
  const block = fence !== undefined && others.length === 0 ? fence.text : prose
  if (holdsCall(block) || /^\s*<tool_call>/m.test(readNative(answer).text)) {
    const how = `No tool can be called while the plan is made: write a task whose skill has the tool, ${headings}.`
    return { what: "The answer is a tool call, and no task list.", how }
  }
  if (isJson(block)) return { what: "The answer is JSON, and no task list.", how: `Write it as markdown ${headings}.` }
  if (answer.split("\n").some((line) => readOpen(line) !== undefined)) {
    const how = `Nothing is changed while the plan is made: write a task whose skill changes files, ${headings}.`
    return { what: "The answer changes files, and is no task list.", how }
  }
  if (answer.split("\n").some((line) => report.test(line))) {
    const how = `Nothing was done yet: write the tasks to do, ${headings}.`
    return { what: "The answer is a report, and no task list.", how }
  }
  if (questionOf(answer) !== undefined) {
    const how = `Nobody answers while the plan is made: decide by what the prompt says, name in the goals what you assume, and write the list ${headings}.`
    return { what: "The answer is a question, and no task list.", how }
  }
  return undefined
}
