/**
 * Prints what each stage saw of a run that edits three long files of a package unknown to the model. `node
 * bench/blind-edits.ts`
 */
import * as Effect from "effect/Effect"
import { editBlindly, transcriptOf } from "../test/noisy/BlindEdits.ts"

const { calls, largestPrompt, report, window, wrongFiles } = await Effect.runPromise(editBlindly)
console.log(transcriptOf(calls))
console.log(`\n${report.status} after ${report.rounds} rounds; largest prompt ${largestPrompt} of ${window} tokens`)
if (wrongFiles.length > 0) {
  console.log(`Not as they must be: ${wrongFiles.join(", ")}`)
  process.exitCode = 1
}
