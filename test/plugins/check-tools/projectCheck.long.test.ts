import { assert, it } from "@effect/vitest"
import { ruleOf } from "../../../src/domain/findings/rules/Rules.ts"
import { planExamples } from "../../support/generatedPlans.ts"
import { judgePlans } from "../../support/planAgreement.ts"

it("check in a project accepts what run --plan accepts and rejects the rest for the same reasons", async () => {
  const judged = await judgePlans(planExamples.length + 30)
  for (const { checked, read, text } of judged) assert.deepStrictEqual(checked, read, text)
  const found = new Set(judged.flatMap(({ checked }) => [...(checked?.issues ?? []), ...(checked?.repairs ?? [])]))
  const errors = planExamples.filter(({ code }) => ruleOf(code)?.severity === "error").map(({ code }) => code)
  assert.deepStrictEqual(
    errors.filter((code) => !found.has(code)),
    []
  )
  const accepted = judged.filter(({ checked }) => checked?.accepted).length
  assert.isAbove(accepted, 10)
  assert.isBelow(accepted, judged.length - 10)
})
