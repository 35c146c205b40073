/**
 * A run that edits three long files of a package that the model does not know, with a window of 8,192 tokens.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { editBlindly, transcriptOf } from "../noisy/BlindEdits.ts"

it.live("edits three unknown files with texts that stood in the prompts", () =>
  Effect.gen(function* () {
    const { calls, largestPrompt, report, window, wrongFiles } = yield* editBlindly
    const transcript = transcriptOf(calls)
    const edits = calls.filter(({ did }) => did === "edited")
    expect(edits, transcript).toHaveLength(1)
    expect(
      calls.flatMap(({ blind }) => blind),
      transcript
    ).toEqual([])
    expect({ status: report.status, rounds: report.rounds, wrongFiles }, transcript).toEqual({
      status: "done",
      rounds: 1,
      wrongFiles: []
    })
    expect(largestPrompt).toBeLessThan(window)
  })
)
