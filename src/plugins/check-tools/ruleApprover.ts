/** The approver in tests of skills, where only rules decide. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { decide, denyAll, type Rule, type Target } from "../../kit/tools.ts"
import { type ApprovalItem, Approver } from "../../plugin-kit.ts"

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

/**
 * An approver that uses only these rules. `root` is the project's real path. In a step, it approves the calls that
 * rules allow. It denies single calls, because the gate asks about a single call only if no rule allows it.
 */
export const layerRuleApprover = (rules: ReadonlyArray<Rule>, root: string): Layer.Layer<Approver> =>
  Layer.succeed(Approver)(
    Approver.of({
      ...denyAll,
      step: (_, items) => {
        const chosen = items.flatMap((item, index) => (isAllowed(item, rules, root) ? [index + 1] : []))
        return Effect.succeed({ answer: { chosen }, by: "rule" })
      },
      canAsk: Effect.succeed(true)
    })
  )
