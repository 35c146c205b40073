/**
 * The process that runs tests for bench/mutation.ts on a copy of the tree. It receives a changed file and the names of
 * tests. It answers with the first test file that fails. It is a separate process, because tests of a mutant may never
 * end.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { BaseSequencer, createVitest, type TestSpecification } from "vitest/node"

export interface MutantOrder {
  readonly file: string
  readonly text: string
  readonly tests: ReadonlyArray<string>
}

export interface MutantAnswer {
  /** The test file that failed because of the mutant. */
  readonly killer: string | undefined
  /** How long each test file took, in milliseconds. */
  readonly times: ReadonlyArray<readonly [test: string, time: number]>
}

const root = process.cwd()

/** Runs the tests in the given order. The quickest come first. */
class AsAsked extends BaseSequencer {
  override sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return Promise.resolve(files)
  }
}
const vitest = await createVitest("test", {
  root,
  config: false,
  watch: false,
  include: ["test/**/*.test.ts"],
  isolate: false,
  maxWorkers: 1,
  sequence: { sequencer: AsAsked },
  bail: 1,
  testTimeout: 30_000,
  env: { TERM: "xterm", NODE_EXTRA_CA_CERTS: "" },
  reporters: [{}]
})
await vitest.standalone()
const all = await vitest.globTestSpecifications()

process.on("message", async ({ file, tests, text }: MutantOrder) => {
  const path = join(root, file)
  const before = readFileSync(path, "utf8")
  writeFileSync(path, text)
  vitest.invalidateFile(path)
  const chosen = tests.flatMap((test) => all.filter(({ moduleId }) => moduleId === join(root, test)))
  // Otherwise results for an earlier mutant would be reported again.
  vitest.state.filesMap.clear()
  vitest.state.errorsSet.clear()
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen)
  writeFileSync(path, before)
  vitest.invalidateFile(path)
  const failed = testModules.find((module) => !module.ok())?.relativeModuleId
  const answer: MutantAnswer = {
    killer: failed ?? (unhandledErrors.length > 0 ? "an error outside of a test" : undefined),
    times: testModules.map((module) => [module.relativeModuleId, module.diagnostic().duration])
  }
  process.send?.(answer)
})
process.on("disconnect", () => process.exit())
process.send?.("ready")
