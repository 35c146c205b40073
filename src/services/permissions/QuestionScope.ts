/**
 * Where in a run something is asked for, so that an answer that is persisted counts for this question and for no later one
 * with the same words.
 */
import { beforeRunTask } from "../../domain/permissions/ApprovalItem.ts"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import { hashOf } from "../files/Hash.ts"

export interface QuestionScope {
  readonly task: string
  /**
   * The name of the activity that asks, or the round and stage outside of one. Empty where no answer is persisted: before
   * the first round, and outside of runs.
   */
  readonly place: string
}

/** Where plugins and servers are started, and given files are read. */
export const beforeRun: QuestionScope = { task: beforeRunTask, place: "" }

interface Identified {
  readonly hash: string
  readonly place: string
  readonly accesses: ReadonlyArray<CanonicalAccess>
}

/** The id of a question about what has this hash, and about the files as they are now. */
export const questionId = ({ accesses, hash, place }: Identified): string => {
  const found = accesses.flatMap((access) => ("found" in access && access.found !== undefined ? [access.found] : []))
  return place === "" ? hash : hashOf([place, hash, ...found])
}
