/**
 * What the rules say about a question, before anybody is asked: what is refused always, and the decision by flags,
 * configuration and remembered answers. Held by the gate.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { decide, type Decision, type Rule } from "../domain/Permission.ts"
import { type GateQuestion, targetOf } from "./GateQuestion.ts"
import { Policies } from "./Policies.ts"
import { refusalOf } from "./Refusal.ts"
import { Workspace } from "./Workspace.ts"

/** What the person decided before the run. */
export interface GateOptions {
  /** From flags and configuration. */
  readonly rules?: ReadonlyArray<Rule>
  /** The folders and files of this program, its state and configuration: no tool writes there. */
  readonly protectedPaths?: ReadonlyArray<string>
}

export interface GateJudge {
  /** Why nothing can allow it; nothing when rules decide. */
  readonly refusal: (question: GateQuestion) => string | undefined
  readonly judge: (question: GateQuestion) => Effect.Effect<Decision>
}

/** Protected paths are made canonical once, when the run starts. */
export const makeGateJudge = Effect.fnUntraced(function* (options: GateOptions) {
  const policies = yield* Policies
  const workspace = yield* Workspace
  const path = yield* Path.Path
  const { root } = workspace
  const protectedPaths = yield* Effect.forEach(options.protectedPaths ?? [], (given) =>
    Effect.match(workspace.canonical(given), { onFailure: () => given, onSuccess: (found) => found.path })
  )
  const judge: GateJudge = {
    refusal: ({ accesses }) =>
      accesses.map((access) => refusalOf(access, { path, root, protectedPaths })).find((one) => one !== undefined),
    judge: ({ accesses, risk, tool }) =>
      Effect.map(policies.rules, (remembered) =>
        decide([...(options.rules ?? []), ...remembered], { tool, risk, targets: accesses.map(targetOf(path, root)) })
      )
  }
  return judge
})
