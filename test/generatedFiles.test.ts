import { assert } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { generatedFiles } from "../scripts/generatedFiles.ts"
import { nodeTest } from "./support/nodeTest.ts"

nodeTest("keeps the generated files current (npm run generate writes them)", function* () {
  for (const [path, content] of Object.entries(yield* generatedFiles)) {
    assert.strictEqual(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"), content, path)
  }
})
