/**
 * Resolves calls in doubt (begun before the run broke off, outcome unknown): do it again, take it as done, or stop the run.
 * The files that a call wrote can tell; where they cannot, a person decides.
 */
import * as Effect from "effect/Effect"
import type { InDoubtCall, CallIntent, FileState } from "../../domain/history/JournalRecord.ts"
import type { ApprovalItem, ApprovalWords } from "../../domain/permissions/ApprovalItem.ts"
import type { Approver } from "../approvals/Approver.ts"
import { hashOf } from "../files/Hash.ts"
import { fileState, type Workspace } from "../files/Workspace.ts"
import type { RunEvents } from "../runs/RunEvents.ts"

/** `again`: it did not happen. `done`: it did. `unclear`: nothing here can tell. */
type DoubtVerdict = "again" | "done" | "unclear"

/** What the files say: as they were before means that nothing happened, as they were to become means that it did. */
const verdictOfFiles = Effect.fnUntraced(function* (
  files: ReadonlyArray<FileState>,
  workspace: Workspace["Service"]
): Effect.fn.Return<DoubtVerdict> {
  if (files.length === 0) return "unclear"
  const states = yield* Effect.forEach(files, ({ path }) => fileState(workspace, path))
  if (files.every(({ after }, index) => states[index] === after)) return "done"
  return files.every(({ before }, index) => states[index] === before) ? "again" : "unclear"
})

/** A command is shown as one would type it. */
const doubtWords = (tool: string, names: ReadonlyArray<string>): Pick<ApprovalWords, "command" | "does"> => {
  const [command] = names
  return tool === "run_command" && command !== undefined
    ? { does: "run a command", command }
    : { does: [`use ${tool}`, ...(names.length === 0 ? [] : [names.join(", ")])].join(" on ") }
}

/** What a person is shown. */
const doubtItem = ({ call, files, targets, task }: CallIntent, nameOf: (path: string) => string): ApprovalItem => ({
  task,
  words: {
    ...doubtWords(call.name, targets.map(nameOf)),
    consequence: "When it happened, running it again does it a second time.",
    isCalm: false
  },
  tool: call.name,
  call,
  risk: "high",
  targets,
  warnings: [
    "This call was begun before the run broke off, and nobody knows whether it happened.",
    ...(files.length === 0
      ? []
      : ["A file that it writes is neither as it was before the call nor as the call would leave it."])
  ]
})

const undecided =
  "was begun before the run broke off, and only you can say whether it happened: go on with the run on a terminal"

/** What the gate lends for the question. */
export interface DoubtWorld {
  readonly approver: Approver["Service"]
  readonly events: RunEvents["Service"]
  readonly workspace: Workspace["Service"]
  /** A path as a person knows it. */
  readonly nameOf: (path: string) => string
  /** Lets one question be shown at a time. */
  readonly withMutex: <A>(effect: Effect.Effect<A>) => Effect.Effect<A>
}

/** Decides by the files, else by asking; why not, when the run is to stop. */
export const resolveInDoubt = Effect.fn("Gate.resolveInDoubt")(function* (
  intent: InDoubtCall,
  { approver, events, nameOf, withMutex, workspace }: DoubtWorld
): Effect.fn.Return<"again" | "done" | { readonly by: "person" | "nobody"; readonly reason?: string }> {
  const verdict = yield* verdictOfFiles(intent.files, workspace)
  if (verdict !== "unclear") return verdict
  const item = doubtItem(intent, nameOf)
  /* An answer counts for this beginning of the call: one that is begun again can come into doubt again. */
  const hash = hashOf([intent.key, intent.seq])
  const ask = Effect.gen(function* () {
    yield* events.publish({ type: "approval.requested", scope: "doubt", title: intent.task, hash, items: [item] })
    const answered = yield* approver.inDoubt(item, hash)
    yield* events.publish({ type: "approval.answered", scope: "doubt", hash, ...answered })
    return answered
  })
  const { answer, by } = yield* withMutex(ask)
  if (answer !== "stop") return answer
  return by === "nobody" ? { by, reason: undecided } : { by: "person" }
})
