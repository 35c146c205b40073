/**
 * Recognises an answer with a call that no reader understood. The call did not run, so the answer is not final. A call
 * does not count if it is only mentioned: in backticks, in a quotation, or in a code block beside other text.
 */
import { fencedBlocks, proseLines } from "../markdown/Outline.ts"
import { jsonCalls } from "../tools/native/JsonCalls.ts"
import { holdsCall } from "../tools/ToolCallTraces.ts"

const mark =
  /<(?:tool_calls?>|function_calls?>|function=[\w.]+>|invoke\s+name=|arg_key>|minimax:tool|seed:tool|TOOLCALL>|start_function_call>)|\[(?:TOOL_CALLS?|TOOL_REQUEST|ARGS|tool_calls?)\](?!\()|<\|(?:python_tag|python_start|tool_calls?|START_ACTION|action_start|channel|constrain)|<[|｜‖]{1,2}(?:DSML|tool[▁_ ]?call)|\bto=functions\.\w|functools\[\{/
const named =
  /^\s*(?:call:|functions\.|default_api\.|[*_`]*(?:action|tool(?:[ _](?:name|call))?|function)[*_`]*:[*_`\s]*(?:["'{])?)?<?([a-z]+(?:_[a-z]+)+)(?:[*_`"']*\s*$|>|\s*[({[].*[)}\]]\s*;?\s*$|:\d+\s*\{)/i
const withName = /["'](?:name|tool|tool_name|function|action|recipient_name)["']\s*:\s*["']([\w.]+)["']/g
/** Calls that no reader accepts: a tool name after a label, as a heading, as an escaped tag or as an object key. */
const unread = [
  /^\s*(?:[-*+]\s+)?[*_`"]*(?:tool(?:[ _](?:name|call))?|function|action|name)[*_`"]*\s*:[*_`"'\s]*([a-z]+(?:_[a-z]+)+)[*_`"']*\s*$/i,
  /^#{1,6}\s+[`*]*(\w+_\w+)[`*]*:?\s*$/,
  /^\s*&lt;([a-z]+(?:_[a-z]+)+)&gt;/,
  /^\s*\{\s*"(\w+_\w+)"\s*:\s*\{/
]

const unreadCall = (lines: ReadonlyArray<string>, isTool: (name: string) => boolean): string | undefined =>
  lines.find((line) => unread.some((pattern) => isTool(pattern.exec(line)?.[1] ?? "")))?.trim()

/** The call that no reader understood. Undefined if there is none. */
export const leakedCall = (answer: string, isTool: (name: string) => boolean): string | undefined => {
  const prose = proseLines(answer)
    .map((line) => line.text)
    .filter((line) => !/^\s*>/.test(line))
  const lines = prose.map((line) => line.replace(/`[^`\n]+`/g, ""))
  const line = lines.find((proseLine) => {
    const before = proseLine.slice(0, mark.exec(proseLine)?.index ?? 0).trim()
    if (mark.test(proseLine) && /(?:^|[.!?:…)])$/.test(before)) return true
    const name = named.exec(proseLine)?.[1]
    return name !== undefined && isTool(name) && proseLine.trim() !== name
  })
  if (line !== undefined) return line.trim()
  const unheaded = lines.filter((one) => !/^#{1,6}\s/.test(one))
  const blocks = [unheaded.join("\n").trim(), ...fencedBlocks(answer).map((fence) => fence.text)]
  const block = blocks.find(
    (codeBlock) =>
      /^\s*[[{<]/.test(codeBlock) &&
      (jsonCalls(codeBlock, isTool) !== undefined ||
        (holdsCall(codeBlock) &&
          [...codeBlock.matchAll(withName)].some(([, name = ""]) => isTool(name.replace(/^functions\./, "")))))
  )
  return block ?? unreadCall([...prose, ...fencedBlocks(answer).flatMap((fence) => fence.text.split("\n", 2))], isTool)
}
