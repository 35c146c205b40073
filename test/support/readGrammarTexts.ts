/**
 * Texts that the grammars of answers make, read by the readers of the product: what was not accepted, and how many were read.
 */
import * as Option from "effect/Option"
import { planGrammar, turnGrammar } from "../../src/domain/documents/AnswerGrammar.ts"
import { readTaskList } from "../../src/domain/documents/TaskListFormat.ts"
import { readTurn } from "../../src/domain/documents/TurnFormat.ts"
import type { Issue } from "../../src/domain/findings/Issue.ts"
import { plainTask } from "../../src/domain/plan/Task.ts"
import type { JsonSchema } from "../../src/domain/tools/ToolSchema.ts"
import { randomFrom } from "../mutations/Damage.ts"
import { sampleGrammar } from "./sampleGrammar.ts"

const string = { type: "string" }
const object = (properties: JsonSchema, required: ReadonlyArray<string>): JsonSchema => ({
  type: "object",
  properties,
  required
})

/** Arguments of every kind. */
export const grammarTools = [
  { name: "read_file", parameters: object({ path: string, from: { type: "integer" } }, ["path"]) },
  {
    name: "search_files",
    parameters: object(
      {
        pattern: string,
        isRegex: { type: "boolean" },
        in: { type: "array", items: string },
        kind: { enum: ["text", "name"] },
        limit: { anyOf: [{ type: "number" }, { type: "string" }] },
        more: object({ deep: { type: "boolean" } }, [])
      },
      ["pattern"]
    )
  },
  { name: "current_time", parameters: object({}, []) },
  { name: "list", parameters: object({ folder: string, depth: { type: "integer" } }, []) },
  { name: "anything", parameters: object({ value: {} }, ["value"]) }
]

const task = plainTask("Read it", "read-code", "Say what is in it.", "A sentence.", {})

interface Kind {
  readonly grammar: string
  readonly read: (text: string) => ReadonlyArray<Issue | string>
}

const readList = (text: string, finished: ReadonlyArray<string>): ReadonlyArray<Issue | string> => {
  const { issues, value } = readTaskList(text, {
    finished,
    allowEmpty: finished.length > 0,
    headings: ["current-file"]
  })
  return issues.length === 0 && Option.isNone(value) ? ["no list"] : issues
}

const readAnswer = (mayChange: boolean) => (text: string) => {
  const turn = readTurn(text, { task, inputs: [], kept: [], mayChange, isTool: () => true })
  const isOne = turn.calls.length > 0 || turn.changes.length > 0 || turn.report !== undefined
  const isMeant = text.startsWith("## Tool Calls")
    ? turn.calls.length === text.split('{ "uid": ').length - 1
    : text.startsWith("## Result")
      ? turn.report !== undefined && turn.calls.length + turn.changes.length === 0
      : turn.changes.length === text.split("<<<<<<< OLD").length - 1 && turn.calls.length === 0
  return turn.issues.length > 0 ? turn.issues : isOne && isMeant ? [] : ["read as something else"]
}

export const grammarKinds: Readonly<Record<string, Kind>> = {
  plan: {
    grammar: planGrammar({ skills: ["read-code", "edit-files"], links: [], mayBeEmpty: false }),
    read: (text) => readList(text, [])
  },
  revision: {
    grammar: planGrammar({
      skills: ["read-code", "search-code"],
      links: ["[Read it](#read-it-results)", "[current file](#current-file)", "[main.ts](src/main.ts)"],
      mayBeEmpty: true
    }),
    read: (text) => readList(text, ["Read it"])
  },
  turn: { grammar: turnGrammar({ mayChange: true, tools: grammarTools }), read: readAnswer(true) },
  "turn without changes": { grammar: turnGrammar({ mayChange: false, tools: grammarTools }), read: readAnswer(false) },
  "turn without tools": { grammar: turnGrammar({ mayChange: false, tools: [] }), read: readAnswer(false) }
}

/** The texts with what was found in them, for those that were not accepted. */
export const rejectedTexts = ({ grammar, read }: Kind, count: number, seed: number) => {
  const random = randomFrom(seed)
  const sample = sampleGrammar(grammar, random)
  const texts = Array.from({ length: count }, sample)
  return texts.flatMap((text) => {
    const found = read(text)
    return found.length === 0 ? [] : [{ text, found }]
  })
}
