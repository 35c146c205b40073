/** `models bench` without a server; command.long.test.ts compares models. */
import { afterAll, assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeSandbox } from "../../support/binary.ts"
import { inProcess } from "../../support/inProcess.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = inProcess(makeSandbox())
afterAll(sandbox.remove)

describe("models bench", () => {
  for (const words of [["nope"], ["nope", "other:7b", "--json"], []]) {
    liveTest(`says that no server answers: ${words.join(" ")}`, function* () {
      const env = { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: "http://127.0.0.1:1" }
      const { code, stderr, stdout } = yield* Effect.promise(() => sandbox.run(["models", "bench", ...words], { env }))
      assert.deepStrictEqual([code, stdout], [5, ""])
      assert.match(stderr, /^No model server answers at http:\/\/127\.0\.0\.1:1 /)
    })
  }
})
