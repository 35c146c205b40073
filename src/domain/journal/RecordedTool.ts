/**
 * A tool that is not built in, as a journal describes it. The description has what prompts and checks need, but no
 * code.
 */
import * as Schema from "effect/Schema"
import { EffectClass, Risk } from "../tools/Access.ts"
import { Arguments, builtInOrigin, type ToolInfo } from "../tools/ToolCall.ts"
import type { JournalRecord } from "./JournalRecord.ts"

export const RecordedTool = Schema.Struct({
  name: Schema.NonEmptyString,
  origin: Schema.NonEmptyString,
  description: Schema.NonEmptyString,
  risk: Risk,
  effect: EffectClass,
  /** The JSON schema of the parameters. */
  parameters: Schema.Json,
  example: Arguments,
  aliases: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
export type RecordedTool = typeof RecordedTool.Type

/** The key of the journal record that lists the tools of a run that are not built in. */
export const toolsKey = "tools"

/** The tools that a replay needs from the journal, because they are not built in. */
export const toolsToRecord = (tools: ReadonlyArray<ToolInfo>): ReadonlyArray<RecordedTool> =>
  tools.filter(({ origin }) => origin !== builtInOrigin)

const isTools = Schema.is(Schema.Array(RecordedTool))

export const recordedTools = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<RecordedTool> => {
  const found = records.find((record) => record.type === "seen" && record.key === toolsKey)
  return found?.type === "seen" && isTools(found.value) ? found.value : []
}
