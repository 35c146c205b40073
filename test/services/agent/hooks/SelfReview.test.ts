import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { CheckOutcome } from "../../../../src/domain/checks/CheckOutcome.ts"
import { selfReviewText } from "../../../../src/domain/documents/SelfReview.ts"
import { makeSelfReview } from "../../../../src/services/agent/hooks/SelfReview.ts"
import type { Assignment } from "../../../../src/services/agent/Session.ts"
import { makeWorkingCopy } from "../../../../src/services/files/WorkingCopy.ts"
import { checkEnding, turnOf, workOf } from "../../../support/AgentWork.ts"
import { liveTest } from "../../../support/liveTest.ts"
import { nodeTest } from "../../../support/nodeTest.ts"
import { openStages, type OpenStages } from "../../../support/OpenStages.ts"
import {
  after,
  files,
  first,
  fixed,
  isQuestion,
  lastOf,
  open,
  order,
  testing
} from "../../../support/SelfReviewWork.ts"

const question = selfReviewText([
  "- src/page.mjs:2: export const address = (title) => `/p/${slug(title, 40)}` (calls `slug`)"
])

interface Reviewed {
  readonly assignment?: Partial<Assignment>
  readonly checks?: ReadonlyArray<CheckOutcome>
  readonly left?: number
  readonly changed?: Readonly<Record<string, string>>
  readonly settings?: NonNullable<OpenStages["settings"]>
}

/** The question after a change of these files. */
const review = Effect.fnUntraced(function* ({
  assignment,
  changed = { "src/slug.mjs": after },
  checks = [checkEnding(0)],
  left = 5,
  settings = {}
}: Reviewed) {
  const { project, within } = yield* openStages({ files, settings })
  const copy = makeWorkingCopy()
  const bases: Readonly<Record<string, string>> = files
  for (const [path, text] of Object.entries(changed)) {
    copy.propose({ path: `${project}/${path}`, base: bases[path] ?? null, text })
  }
  const { beforeEnd } = yield* within(makeSelfReview)
  return yield* (
    beforeEnd?.(turnOf({ work: workOf({ ...assignment, copy }), session: { checks }, left })) ?? Effect.undefined
  )
})

describe("the self-review", () => {
  nodeTest("asks about a change that passes the checks, with the lines of other files that use it", function* () {
    for (const asked of [{}, { left: 4 }, { settings: { lookBack: true } }]) expect(yield* review(asked)).toBe(question)
  })

  const silent: Readonly<Record<string, Reviewed>> = {
    "no check": { checks: [] },
    "a check that fails": { checks: [checkEnding(0), checkEnding(1)] },
    "an item": { assignment: { kind: "item" } },
    "a message": { assignment: { kind: "message" } },
    "three answers that are left": { left: 3 },
    "a user who does not want it": { settings: { lookBack: false } },
    prose: { changed: { "docs/slug.md": after } },
    "no change": { changed: {} },
    "a small change": { changed: { "src/slug.mjs": files["src/slug.mjs"].replace("max)\n}", "max - 0)\n}") } },
    "a change whose users change too": { changed: { "src/slug.mjs": after, "src/page.mjs": "slug(1)\n" } },
    "a change that nothing uses": { changed: { "src/new.mjs": after.replace("slug", "fresh") } }
  }
  nodeTest("is left out where it is not worth its calls", function* () {
    for (const [why, reviewed] of Object.entries(silent)) expect(yield* review(reviewed), why).toBeUndefined()
  })

  liveTest("is asked once in a task, whose report stays when the answer adds a test that passes", function* () {
    const tested = `Line: src/page.mjs:2\n\n${testing("assert.strictEqual(slug('ab cd', 3), 'ab')")}`
    const { taskAgent, messages } = yield* open([fixed, first, tested])
    const { files: changed, result } = yield* taskAgent.work(order)
    expect(lastOf(messages).map(isQuestion)).toEqual([false, false, true])
    expect(result?.summary).toBe("The words stay whole.")
    expect(changed?.map(({ path }) => path)).toEqual(["src/slug.mjs", "test/slug.test.mjs"])
  })
})
