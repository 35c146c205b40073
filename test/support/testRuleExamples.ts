/** The tests of the examples of all rules. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rules } from "../../src/domain/findings/rules/Rules.ts"
import { needs } from "./needs.ts"
import { exampleOf, ruleExamples } from "./RuleExamples.ts"
import { ruleFindings } from "./ruleFindings.ts"

/** Kinds of examples that need a whole run. */
const needsRun =
  /^(?:answer|cut-answer|insisted-result|limited-.*|planning-answer|project-(?:task|references)|run-.*|step-.*|.*turns)$/

/** Rules whose examples need no run, and the first rule of each other kind. */
const main: ReadonlySet<string> = new Set(
  ruleExamples
    .filter(
      ({ kind }, index) => !needsRun.test(kind) || ruleExamples.findIndex((example) => example.kind === kind) === index
    )
    .map(({ code }) => code)
)

/** The tests of the examples of main rules, or of the others. */
export const testRuleExamples = (which: "main" | "others"): void =>
  layer(NodeServices.layer)("every rule", (it) => {
    for (const { code, severity } of rules) {
      if (main.has(code) !== (which === "main")) continue
      const { after, alongside, before, kind } = exampleOf(code)
      const sandbox = kind === "checked-turns" ? needs("bwrap") : {}
      it.effect(
        `finds ${code} in its example, and nothing in the fixed one`,
        () =>
          Effect.gen(function* () {
            const found = yield* ruleFindings(kind, before)
            expect({ ...found, repairs: found.repairs.filter((one) => !alongside.includes(one)) }).toEqual(
              severity === "error" ? { issues: [code], repairs: [] } : { issues: [], repairs: [code] }
            )
            expect(found.repairs).toEqual(expect.arrayContaining([...alongside]))
            expect(yield* ruleFindings(kind, after)).toEqual({ issues: [], repairs: [] })
          }),
        sandbox
      )
    }
  })
