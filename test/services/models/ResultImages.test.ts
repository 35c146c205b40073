import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type CallOutcome, notMeasured } from "../../../src/domain/tools/ToolCall.ts"
import type { ResultFile } from "../../../src/domain/tools/ToolOutput.ts"
import { KeptFiles } from "../../../src/services/files/KeptFiles.ts"
import { makeResultImages } from "../../../src/services/models/ResultImages.ts"
import { unknownFacts, CurrentServer } from "../../../src/services/providers/Provider.ts"
import { RunSettings } from "../../../src/services/runs/RunSettings.ts"
import { inSession, makeJournal } from "../../support/JournalSession.ts"
import { png } from "../../support/pictures.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const file: ResultFile = {
  name: "page.png",
  mediaType: "image/png",
  bytes: png.length,
  hash: "a1b2",
  isImage: true,
  path: "files/a1b2-page.png"
}
const outcomes: ReadonlyArray<CallOutcome> = [
  {
    call: { uid: "1", name: "shoot", arguments: {} },
    result: { success: true, data: "", error_message: null, error_type: "none", metadata: notMeasured, files: [file] }
  }
]
const facts = Effect.succeed({ ...unknownFacts, abilities: { ...unknownFacts.abilities, vision: true } })
const target = { id: { round: 1, stage: "task" }, task: "Look 1" } as const

/** What is shown of an image that can be read so many times, and how often it was read. */
const shownWith = Effect.fnUntraced(function* (journal: string, readable: number) {
  let reads = 0
  const kept = {
    keep: () => Effect.succeed(file.path),
    read: () => Effect.sync(() => (++reads > readable ? undefined : png))
  }
  const shown = yield* inSession(
    journal,
    Effect.flatMap(makeResultImages, (show) => show(target, 1, outcomes, 1_000_000)).pipe(
      Effect.provideService(KeptFiles, kept),
      Effect.provideService(CurrentServer, { facts: () => facts }),
      Effect.provide(RunSettings.layer())
    )
  )
  return { ...shown, data: shown.pictures.map(({ data }) => data), reads }
})

const chosen = "Image 1 of this message is page.png of `shoot`."

describe("an image of a result", () => {
  nodeTest("is read once, and sent as it was when it was chosen", function* () {
    const { data, lines, reads } = yield* shownWith(yield* makeJournal, 1)
    assert.deepStrictEqual([data, lines, reads], [[png.toString("base64")], [chosen], 1])
  })

  nodeTest("is left out when it is gone before it is chosen", function* () {
    const { data, lines } = yield* shownWith(yield* makeJournal, 0)
    assert.deepStrictEqual(data, [])
    assert.include(lines[0], "it cannot be read any more")
  })

  nodeTest("is chosen anew by a resumed run, and left out when it is gone since then", function* () {
    const journal = yield* makeJournal
    yield* shownWith(journal, 1)
    assert.deepStrictEqual((yield* shownWith(journal, 1)).data, [png.toString("base64")])
    const { data, lines } = yield* shownWith(journal, 0)
    assert.deepStrictEqual(data, [])
    assert.include(lines[0], "it cannot be read any more")
  })
})
