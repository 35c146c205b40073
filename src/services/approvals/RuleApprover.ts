/**
 * An approver that answers by rules only, without a person. A step is approved with those of its calls that the rules
 * allow. A single call is denied, since the gate asks only about calls that no rule allows.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { decide } from "../../domain/permissions/Decision.ts"
import type { Rule } from "../../domain/permissions/Permission.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import type { Target } from "../../domain/permissions/TargetPattern.ts"
import { Approver, stopInDoubt } from "./Approver.ts"

const targetOf = (canonical: string, root: string): Target => {
  if (!canonical.startsWith("/")) return { kind: "other", canonical }
  return canonical.startsWith(`${root}/`)
    ? { kind: "file", canonical, relative: canonical.slice(root.length + 1) }
    : { kind: "file", canonical }
}

const isAllowed = ({ call, risk, targets, tool }: ApprovalItem, rules: ReadonlyArray<Rule>, root: string) => {
  if (call === undefined) return true
  const request = { tool, risk, targets: targets.map((target) => targetOf(target, root)) }
  return decide(rules, request).verdict === "allow"
}

/** Answers by these rules; `root` is the real path of the project. */
export const layerRuleApprover = (rules: ReadonlyArray<Rule>, root: string): Layer.Layer<Approver> =>
  Layer.succeed(Approver)(
    Approver.of({
      step: (_, items) => {
        const chosen = items.flatMap((item, index) => (isAllowed(item, rules, root) ? [index + 1] : []))
        return Effect.succeed({ answer: { chosen }, by: "rule" })
      },
      call: () => Effect.succeed({ answer: "deny", by: "nobody" }),
      inDoubt: () => stopInDoubt
    })
  )
