/**
 * Runs edits of three long files. The files belong to a package that the model does not know. Prints what each stage
 * saw of them. `node bench/blind-edits.ts`
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
