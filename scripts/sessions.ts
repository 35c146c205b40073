/**
 * Writes what the program prints now into the sessions of documentation pages: `node scripts/sessions.ts docs/reference/runs.md`. A session
 * that leaves lines out with `...` is shown as it would be, to be changed by hand. Build the product before.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { installPacked, npmEnvironment } from "../test/support/PackedMachine.ts"
import { pageText } from "../test/support/PageBlocks.ts"
import { fits, followPage, type Step } from "../test/support/PageSession.ts"
import { startRegistry } from "../test/support/Registry.ts"

const repository = fileURLToPath(new URL("..", import.meta.url))

const linesOf = (command: string, output: ReadonlyArray<string>): string => [`$ ${command}`, ...output, ""].join("\n")

const withStep = (text: string, { command, place, printed, shown }: Step): string => {
  if (!shown.includes("...")) return text.replace(linesOf(command, shown), () => linesOf(command, printed))
  console.log(`${place}: change by hand:\n${linesOf(command, printed)}`)
  return text
}

const root = realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-sessions-")))
const registry = await startRegistry(repository)
try {
  installPacked(root)
  for (const page of process.argv.slice(2)) {
    const steps = await followPage(root, page, npmEnvironment(root, registry.url))
    const changed = steps.filter((step) => !fits(step))
    writeFileSync(join(repository, page), changed.reduce(withStep, pageText(page)))
    console.log(`${page}: ${steps.length} commands, ${changed.length} printed something else`)
  }
} finally {
  registry.close()
  rmSync(root, { recursive: true, force: true })
}
