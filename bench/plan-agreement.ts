/**
 * Checks many generated plans. They contain mistakes against every rule. Each plan is checked by `check` in a project
 * and by `run --plan`. Counts how often the two disagree.
 *
 *   node bench/plan-agreement.ts [PLANS]
 */
import { judgePlans } from "../test/support/planAgreement.ts"

const judged = await judgePlans(Number(process.argv[2] ?? 300))
const different = judged.filter(({ checked, read }) => JSON.stringify(checked) !== JSON.stringify(read))
const accepted = judged.filter(({ read }) => read?.accepted).length
console.log(`${judged.length} plans, ${accepted} accepted, ${different.length} judged differently`)
for (const { checked, read, text } of different) console.log(JSON.stringify({ text, checked, read }, null, 2))
process.exitCode = different.length === 0 ? 0 : 1
