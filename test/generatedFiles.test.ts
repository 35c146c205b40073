import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { generatedFiles } from "../scripts/generatedFiles.ts"

it.effect("keeps the generated files current (npm run generate writes them)", () =>
  Effect.gen(function* () {
    for (const [path, content] of Object.entries(yield* generatedFiles)) {
      assert.strictEqual(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"), content, path)
    }
  })
)
