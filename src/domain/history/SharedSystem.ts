/**
 * The prompts of a stage begin with the same long text. A journal holds it with the first of them and refers to it in
 * those that follow.
 */
import type { JournalRecord, PromptSent } from "./JournalRecord.ts"

/** A prompt of a model call, under the name of its activity. */
export interface KeptPrompt {
  readonly key: string
  readonly system: string
  readonly user: string
}

/** A run has few such texts, one for each stage and skill; when there are more, it begins anew with them. */
const mostTexts = 64

/** Makes the function that makes the records of the prompts of one session, in their order. */
export const makePromptRecords = (): ((prompt: KeptPrompt) => PromptSent) => {
  const keys = new Map<string, string>()
  return ({ key, system, user }) => {
    const first = keys.get(system)
    /* A name can be longer than the text that it stands for. */
    if (first !== undefined && first.length < system.length) return { type: "prompt", key, systemOf: first, user }
    if (keys.size === mostTexts) keys.clear()
    keys.set(system, key)
    return { type: "prompt", key, system, user }
  }
}

/** The records of another journal, as a new one holds them. */
export const withSharedSystems = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<JournalRecord> => {
  const share = makePromptRecords()
  return records.map((record) => {
    if (record.type !== "prompt" || record.system === undefined) return record
    const { key, system, user } = record
    return share({ key, system, user })
  })
}

/** Makes the function that gives each prompt its whole text. It is called with all records of a journal in their order. */
export const makeWholePrompts = (): ((record: JournalRecord) => JournalRecord) => {
  const texts = new Map<string, string>()
  return (record) => {
    if (record.type !== "prompt") return record
    const { key, system, systemOf = "", user } = record
    if (system !== undefined) texts.set(key, system)
    const whole = system ?? texts.get(systemOf)
    return whole === undefined ? record : { type: "prompt", key, system: whole, user }
  }
}
