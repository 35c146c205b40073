/**
 * Writes the files that are made from the code: JSON schema and reference pages. `npm run generate`.
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
