import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const compileCache = fileURLToPath(new URL("node_modules/.cache/task-conductor-tests", import.meta.url))

/** Where the results go as JSON as well; scripts/test.ts counts them. */
const report = process.env["TASK_CONDUCTOR_TEST_REPORT"]

/** What `npm test` leaves to `npm run test:all`: tests that start many programs, or compute for long. */
const leftOut = process.env["TASK_CONDUCTOR_SHORT_TESTS"] === undefined ? [] : ["test/**/*.long.test.ts"]

/** Tests that change the environment of their own process, which the library reads once: each file has a process to itself. */
const alone = globSync("test/**/*.test.ts").filter((file) =>
  /process\.env\["\w+"\] = |librarySandbox\(/.test(readFileSync(file, "utf8"))
)

/** Tests that take what others need, such as processes: nothing else runs beside them. */
const greedy = ["test/services/commands/CommandLimits.long.test.ts"]

/**
 * Tests that compute and wait for no process: more of them at a time than there are processors would only load and compile
 * the sources once more.
 */
const quick = [
  "test/{domain,mutations,fuzz}/**/*.test.ts",
  "test/services/{approvals,configuration,conversation,history,journal,map,models}/**/*.test.ts",
  "test/services/{pipeline,providers,references,runs,skills,tools,web}/**/*.test.ts"
]

const isLong = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith(".long.test.ts")

/** Long tests begin first, so that the other workers do not wait for them at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const exclude = [...configDefaults.exclude, ...leftOut]

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    globalSetup: "test/support/builtProduct.ts",
    /* Only against tests that never end: on a busy machine every one takes many times as long. */
    testTimeout: 600_000,
    hookTimeout: 600_000,
    /*
     * Node reads single keys only from a terminal that is not "dumb", as the one of an editor may be. More certificates are read in a
     * thread, and a machine that lacks one is warned of on stderr. Programs of tests compile their modules once.
     */
    env: { TERM: "xterm", NODE_EXTRA_CA_CERTS: "", NODE_COMPILE_CACHE: compileCache },
    /* @effect/vitest prints the error of a failing test once more, before vitest does with its place. */
    onConsoleLog: (log) => !/^\S+ ERROR \(#\d+\):/.test(log),
    projects: [
      {
        extends: true,
        test: {
          name: "quick",
          include: quick,
          exclude,
          /* Loading Effect anew for each file would take longer than the tests. */
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 }
        }
      },
      {
        extends: true,
        test: {
          name: "together",
          include: ["test/**/*.test.ts"],
          exclude: [...exclude, ...quick, ...alone, ...greedy],
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 2 }
        }
      },
      { extends: true, test: { name: "alone", include: alone, exclude, maxWorkers: 4, sequence: { groupOrder: 2 } } },
      { extends: true, test: { name: "greedy", include: greedy, exclude, maxWorkers: 1, sequence: { groupOrder: 3 } } }
    ],
    ...(report === undefined ? {} : { reporters: ["default", "json"], outputFile: { json: report } })
  }
})
