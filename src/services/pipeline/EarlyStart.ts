/**
 * What the host can prove about a refined task, so that tasks need not wait for a whole section: that it only reads and
 * needs no approval, and that nobody would be asked anything when it runs.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Refinement } from "../../domain/documents/Refinement.ts"
import type { Reference } from "../../domain/plan/Reference.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { PreparedCall, ToolCall } from "../../domain/tools/ToolCall.ts"
import { Workspace } from "../files/Workspace.ts"
import { Gate } from "../permissions/Gate.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { makeGatedBy } from "./GatedCalls.ts"

/** False for a refinement that was not allowed to look: a resumed run makes it again. */
export const hasLooked = ({ looks }: Refinement): boolean =>
  looks?.every(({ result }) => result.error_type !== "permission_denied") !== false

export interface Proof {
  /**
   * True for a task that changes nothing and needs no approval, in this session and in every resumed one: its calls are
   * known, and only read.
   */
  readonly onlyReads: boolean
  /** True when nobody is asked while the task runs: every call is allowed, and every reference may be read. */
  readonly asksNobody: Effect.Effect<boolean>
}

const nothingProven: Proof = { onlyReads: false, asksNobody: Effect.succeed(false) }

export const makeEarlyStart = Effect.gen(function* () {
  const gate = yield* Gate
  const gatedBy = yield* makeGatedBy
  const registry = yield* ToolRegistry
  const workspace = yield* Workspace

  const isPure = ({ name }: ToolCall): boolean => registry.find(name)?.effect === "pure"

  /** A call that cannot be prepared fails when it is made; it proves nothing here. */
  const prepare = (call: ToolCall) =>
    Effect.match(registry.prepare(call), { onFailure: () => undefined, onSuccess: (prepared) => prepared })

  /** True for a call that only reads files of the project, or no file at all, and is made without a question. */
  const isFree = (prepared: PreparedCall | undefined): Effect.Effect<boolean> =>
    prepared !== undefined && prepared.accesses.every(({ _tag }) => _tag === "ReadFile")
      ? gate.asksNobody(prepared)
      : Effect.succeed(false)

  /** True for a reference that is resolved without a question. */
  const isFreeReference = Effect.fnUntraced(function* ({ kind, target }: Reference) {
    if (kind === "anchor" || kind === "task_result") return true
    const found = kind === "file" ? yield* Effect.result(workspace.canonical(target)) : undefined
    if (found === undefined || Result.isFailure(found) || !found.success.inside) return false
    return yield* gate.mayRead(found.success.path)
  })

  /** What is known about a refined task. */
  const prove = Effect.fnUntraced(function* (task: Task, refinement: Refinement) {
    const { calls } = refinement
    if (!calls.every(isPure) || !hasLooked(refinement)) return nothingProven
    const prepared = yield* Effect.forEach(calls, prepare)
    const risks = prepared.map((one, index) => one?.risk ?? registry.find(calls[index]?.name ?? "")?.risk ?? "high")
    if (gatedBy(task, refinement.task, risks) !== undefined) return nothingProven
    const asksNobody = Effect.gen(function* () {
      for (const one of prepared) if (!(yield* isFree(one))) return false
      for (const one of refinement.task.references) if (!(yield* isFreeReference(one))) return false
      return true
    })
    return { onlyReads: true, asksNobody } satisfies Proof
  })

  /** Code of a tool may throw when its call is prepared; the call itself says so in its turn. */
  return (task: Task, refinement: Refinement): Effect.Effect<Proof> =>
    Effect.catchDefect(prove(task, refinement), () => Effect.succeed(nothingProven))
})
