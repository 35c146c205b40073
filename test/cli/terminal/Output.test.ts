import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Output } from "../../../src/cli/terminal/Output.ts"
import { textCollector } from "../../support/textCollector.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** What is written to stdout and stderr that lead to a terminal of this width, or to none. */
const written = Effect.fnUntraced(function* (
  columns: number | undefined,
  use: (output: Output["Service"]) => Effect.Effect<void>
) {
  const [stdout, stderr] = [textCollector(), textCollector()]
  const terminal = columns === undefined ? {} : { isTTY: true, columns }
  const streams = {
    env: { TERM: "xterm" },
    stdin: {},
    stdout: Object.assign(stdout.stream, terminal),
    stderr: Object.assign(stderr.stream, terminal)
  }
  yield* Effect.flatMap(Output, use).pipe(Effect.provide(Output.layerOf(streams)))
  return [stdout.text(), stderr.text()]
})

const line = "  one two three four five six seven"

nodeTest("breaks lines for a person at the width of the terminal, and leaves results for programs whole", function* () {
  const all = ({ emit, print, result }: Output["Service"]) =>
    Effect.all([print(line), result(line), emit(line)], { discard: true })
  const broken = "  one two three four\n    five six seven\n"
  assert.deepStrictEqual(yield* written(20, all), [`${broken}${line}\n`, broken])
  assert.deepStrictEqual(yield* written(undefined, all), [`${line}\n${line}\n`, `${line}\n`])
  assert.deepStrictEqual(yield* written(5, all), [`${line}\n${line}\n`, `${line}\n`])
})
