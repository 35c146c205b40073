/** The hooks that search the project, each alone: when they say something, and where they look for it. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { CheckOutcome } from "../../../../src/domain/checks/CheckOutcome.ts"
import { selfReviewText } from "../../../../src/domain/documents/SelfReview.ts"
import { nothingAsked } from "../../../../src/domain/documents/TurnFormat.ts"
import type { ProposedFile } from "../../../../src/domain/files/ProposedFile.ts"
import { makeRemainingOccurrences } from "../../../../src/services/agent/hooks/RemainingOccurrences.ts"
import { makeSelfReview } from "../../../../src/services/agent/hooks/SelfReview.ts"
import type { Assignment } from "../../../../src/services/agent/Session.ts"
import { makeWorkingCopy } from "../../../../src/services/files/WorkingCopy.ts"
import { turnOf, workOf } from "../../../support/AgentWork.ts"
import { openStages, type OpenStages } from "../../../support/OpenStages.ts"

const before = "export const slug = (text) => {\n  return text\n}\n"
const after = `export const slug = (text) => {
  const words = text.split(" ")
  const kept = words.filter((word) => word !== "")
  const all = kept.map((word) => word.trim())
  return all.join("-")
}
`
const files = {
  "src/slug.ts": before,
  "src/page.ts": 'import { slug } from "./slug"\nconst address = slug(title)\n',
  "src/word.ts": "const word = page.slug()\n",
  "src/other.ts": "export const other = 1\n",
  "test/slug.test.ts": "check(slug(title))\n",
  "docs/slug.md": "Call slug(title).\n"
}
const check = (exitCode: number): CheckOutcome => ({
  command: "npm test",
  exitCode,
  seconds: 1,
  text: "",
  failures: [],
  newFailures: exitCode === 0 ? [] : ["slug"]
})
const passed = [check(0)]

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
  changed,
  checks = passed,
  left = 5,
  settings = {}
}: Reviewed) {
  const { project, within } = yield* openStages({ files, settings })
  const copy = makeWorkingCopy()
  const bases: Readonly<Record<string, string>> = files
  for (const [path, text] of Object.entries(changed ?? { "src/slug.ts": after })) {
    copy.propose({ path: `${project}/${path}`, base: bases[path] ?? null, text })
  }
  const { beforeEnd } = yield* within(makeSelfReview)
  return yield* (
    beforeEnd?.(turnOf({ work: workOf({ ...assignment, copy }), session: { checks }, left })) ?? Effect.undefined
  )
})

layer(NodeServices.layer)("the self-review", (it) => {
  it.effect("asks about a change that passes the checks, with the source lines of other files that use it", () =>
    Effect.gen(function* () {
      const question = selfReviewText(["- src/page.ts:2: const address = slug(title) (calls `slug`)"])
      assert.strictEqual(yield* review({}), question)
      assert.strictEqual(yield* review({ left: 4 }), question)
      const two = { "src/slug.ts": after, "src/page.ts": "const address = slug(name)\n" }
      assert.isUndefined(yield* review({ changed: two }))
      const nowhere = { "src/new.ts": after.replace("slug", "fresh") }
      assert.isUndefined(yield* review({ changed: nowhere }))
    })
  )

  it.effect(
    "is left out without checks that pass, for items, with too few answers left, or where it is not wanted",
    () =>
      Effect.gen(function* () {
        const silent: ReadonlyArray<Reviewed> = [
          { checks: [] },
          { checks: [check(0), check(1)] },
          { checks: [check(1)] },
          { assignment: { kind: "item" } },
          { assignment: { kind: "message" } },
          { left: 3 },
          { settings: { lookBack: false } },
          { changed: { "docs/slug.md": after } },
          { changed: {} }
        ]
        for (const reviewed of silent) assert.isUndefined(yield* review(reviewed))
        assert.isDefined(yield* review({ settings: { lookBack: true } }))
      })
  )
})

/** What is said after these changes. */
const remaining = Effect.fnUntraced(function* (
  changed: ReadonlyArray<ProposedFile>,
  except: ReadonlyArray<string> = []
) {
  const { within } = yield* openStages({ files })
  const { afterChanges } = yield* within(makeRemainingOccurrences)
  const replacement = { _tag: "Replace", pattern: "slug", with: "short", except, line: 1 } as const
  const turn = turnOf({ content: { ...nothingAsked, changes: except.length === 0 ? [] : [replacement] } })
  return yield* afterChanges?.(turn, changed) ?? Effect.succeed([])
})

layer(NodeServices.layer)("remaining occurrences", (it) => {
  const renamed = { path: "src/slug.ts", base: before, text: before.replace("slug", "short") }

  it.effect("are places that use a name which a change took away", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* remaining([renamed])
      for (const place of ["docs/slug.md:1", "src/page.ts:2", "test/slug.test.ts:1"]) assert.include(line, place)
      assert.notInclude(line, "src/other.ts")
    })
  )

  it.effect("leave out places that the answer left out itself, and are none where nothing was taken away", () =>
    Effect.gen(function* () {
      const [line = ""] = yield* remaining([renamed], ["docs/slug.md"])
      assert.notInclude(line, "docs/slug.md")
      assert.include(line, "src/page.ts:2")
      assert.deepStrictEqual(yield* remaining([{ path: "src/new.ts", base: null, text: "export {}\n" }]), [])
    })
  )

  it.effect("are lines that equal a replaced one, also where no name is gone", () =>
    Effect.gen(function* () {
      const base = "if (text.length > getMost()) cut()\n"
      const { within } = yield* openStages({ files: { "src/same.ts": base } })
      const { afterChanges } = yield* within(makeRemainingOccurrences)
      const changed = [{ path: "src/limit.ts", base, text: base.replace(">", ">=") }]
      assert.deepStrictEqual(yield* afterChanges?.(turnOf(), changed) ?? Effect.succeed([]), [
        "- `if (text.length > getMost()) cut()`, a line that your change replaced: src/same.ts:1"
      ])
    })
  )
})
