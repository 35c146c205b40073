/**
 * Removes special tokens that servers leave in an answer, such as ends of turns and bars around tags. Some tokens
 * become tags that the readers know. File changes and code blocks stay unchanged.
 */

import { afterBlock, fenceAt, readOpen } from "../../files/ChangeMarks.ts"

const turnEnd =
  /(?:\s*(?:<\|(?:im_end|eot_id|eom_id|end|return|endoftext|end_of_text|end_of_box|python_end|END_OF_TURN_TOKEN)\|>|<\/s>|<end_of_turn>))+\s*$/
const answerStart =
  /^(?:\s*(?:<\|begin_of_box\|>|<\|START_RESPONSE\|>|<\|im_start\|>\s*assistant\b|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>|<s>))+\s*/
/** Matches the header of the next speaker, and everything below it, which the model invented. */
const nextSpeaker =
  /<\|(?:eot_id|im_end|end)\|>\s*(?:<\|start_header_id\|>\s*(?:ipython|user|tool)|<\|im_start\|>\s*(?:user|tool))[^]*$/
const thoughts = [
  /^(\s*)\[THINK\]([^]*?)\[\/THINK\]/,
  /^(\s*)<seed:think>([^]*?)<\/seed:think>/,
  /^(\s*)<\|START_THINKING\|>([^]*?)<\|END_THINKING\|>/,
  /^(\s*)<\|begin_of_thought\|>([^]*?)<\|end_of_thought\|>/
]
/** DeepSeek writes bars of several kinds before the name of each tag. */
const barredTag = /<(\/?)[|｜‖]{1,2}DSML[|｜‖]{1,2}[ \t]*(\w+)/g
const barredLine = /(?:^|[\s.!?:])<[|｜‖]{1,2}DSML[|｜‖]/
/** MiniMax writes this text before each tag. */
const miniMax = "]<]minimax[>["
const fencedAction = /^([ \t]*\**action\**:\**)[ \t]*(`{3}\w*\n[^]*?)[ \t]*(`{3})[ \t]*$/im

/** True for a text that ends within a code block or a file change. */
const isInside = (text: string): boolean => {
  const lines = text.split("\n")
  for (let at = 0; at < lines.length;) {
    const block = afterBlock(lines, at)
    if (block === undefined && readOpen(lines[at] ?? "") !== undefined) return true
    const end = block ?? (fenceAt(lines, at)?.end ?? at) + 1
    if (end > lines.length) return true
    at = end
  }
  return false
}

export const withPlainTokens = (answer: string): string => {
  let text = answer
  if (text.includes(miniMax)) text = text.replaceAll(miniMax, "")
  if (barredLine.test(text)) {
    text = text.replace(
      barredTag,
      (_, slash: string, word: string) => `<${slash}${word === "calls" ? "tool_calls" : word}`
    )
  }
  for (const thought of thoughts) text = text.replace(thought, "$1<think>$2</think>\n")
  text = text.replace(answerStart, "")
  const next = text.search(nextSpeaker)
  if (next >= 0 && !isInside(text.slice(0, next))) text = text.slice(0, next)
  if (!text.includes("<|channel|>")) text = text.replace(turnEnd, "")
  return text.replace(/<\/code\s*$/, "</code>").replace(fencedAction, "$1\n$2\n$3")
}
