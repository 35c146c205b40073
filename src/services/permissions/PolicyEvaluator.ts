/**
 * What the rules say about a question, before anybody is asked: what is refused always, and the decision by flags,
 * configuration and remembered answers. Held by the gate.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import { decide, type Decision } from "../../domain/permissions/Decision.ts"
import { holdsFor, type RememberedRule } from "../../domain/permissions/RememberedRule.ts"
import { type GateQuestion, targetOf } from "./GateQuestion.ts"
import type { SourcedRule } from "./SourcedRules.ts"
import { Policies } from "./Policies.ts"
import { ProjectWriteLock } from "./ProjectWriteLock.ts"
import { refusalOf } from "./ProtectedAccess.ts"
import { Workspace } from "../files/Workspace.ts"

/** What the person decided before the run. */
export interface GateOptions {
  /** From flags and configuration. */
  readonly rules?: ReadonlyArray<SourcedRule>
  /** The folders and files of this program, its state and configuration: no tool writes there. */
  readonly protectedPaths?: ReadonlyArray<string>
  /** Nothing may be changed, whatever rules or people say. */
  readonly readOnly?: boolean
}

const changes = ({ accesses, mayChange }: GateQuestion): boolean =>
  mayChange === true || accesses.some(({ _tag }) => _tag === "WriteFile" || _tag === "RunCommand")

export interface PolicyEvaluator {
  /** Why nothing can allow it; nothing when rules decide. */
  readonly refusal: (question: GateQuestion) => string | undefined
  /** Takes the project for what would change something; why not, when another process works there. */
  readonly claim: (question: GateQuestion) => Effect.Effect<string | undefined>
  readonly judge: (question: GateQuestion) => Effect.Effect<Decision<SourcedRule>>
  /** A remembered rule that would allow it, had the tool not changed since. */
  readonly outdated: (question: GateQuestion) => Effect.Effect<RememberedRule | undefined>
}

/** Protected paths are made canonical once, when the run starts. */
export const makePolicyEvaluator = Effect.fnUntraced(function* (options: GateOptions) {
  const policies = yield* Policies
  const workspace = yield* Workspace
  const path = yield* Path.Path
  const turn = yield* ProjectWriteLock
  const { root } = workspace
  const placed = (rule: RememberedRule): SourcedRule =>
    policies.file === undefined ? rule : { ...rule, source: policies.file }
  const protectedPaths = yield* Effect.forEach(options.protectedPaths ?? [], (given) =>
    Effect.match(workspace.canonical(given), { onFailure: () => given, onSuccess: (found) => found.path })
  )
  const requestOf = ({ accesses, risk, tool }: GateQuestion) => ({
    tool,
    risk,
    targets: accesses.map(targetOf(path, root))
  })
  const judge: PolicyEvaluator = {
    refusal: (question) => {
      if (options.readOnly === true && changes(question)) return "would change something, and this run only reads"
      return question.accesses
        .map((access) => refusalOf(access, { path, root, protectedPaths }))
        .find((one) => one !== undefined)
    },
    claim: (question) => (changes(question) ? turn.claim : Effect.undefined),
    judge: (question) =>
      Effect.map(policies.rules, (remembered) => {
        const holding = remembered.filter((rule) => holdsFor(rule, question.pin)).map(placed)
        return decide<SourcedRule>([...(options.rules ?? []), ...holding], requestOf(question))
      }),
    outdated: (question) =>
      Effect.map(policies.rules, (remembered) => {
        const lapsed = remembered.filter((rule) => rule.pin !== undefined && !holdsFor(rule, question.pin))
        return decide(lapsed, { ...requestOf(question), risk: "medium" }).rules[0]
      })
  }
  return judge
})
