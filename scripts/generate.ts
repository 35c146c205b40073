/**
 * `npm run generate`: writes the generated JSON schemas and reference pages.
 */
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { generatedFiles } from "./generatedFiles.ts"

for (const [path, content] of Object.entries(await Effect.runPromise(generatedFiles))) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}
