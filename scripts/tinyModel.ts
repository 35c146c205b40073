/**
 * Writes a tiny model with random weights into a folder, as `tiny.gguf`, with Modelfiles for Ollama beside it:
 * `node scripts/tinyModel.ts FOLDER [--seed N]`. See docs/internals/conformance.md.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { goTemplates, modelfile } from "./tinyModel/chatTemplates.ts"
import { makeTinyModel } from "./tinyModel/tinyModel.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" } }
})
const [folder] = positionals
const seed = Number(values.seed)

if (folder === undefined || positionals.length > 1 || !Number.isSafeInteger(seed)) {
  console.error("Name one folder: node scripts/tinyModel.ts FOLDER [--seed N]")
  process.exit(2)
}

const name = "tiny.gguf"
mkdirSync(folder, { recursive: true })
const bytes = makeTinyModel(seed)
writeFileSync(join(folder, name), bytes)
for (const kind of ["tools", "thinking", "plain"] as const satisfies ReadonlyArray<keyof typeof goTemplates>) {
  writeFileSync(join(folder, `Modelfile.${kind}`), modelfile(name, kind))
}
console.log(`${join(folder, name)}: ${bytes.length} bytes, seed ${seed}`)
