import { globSync, readFileSync } from "node:fs"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Where the results go as JSON as well; scripts/test.ts counts them. */
const report = process.env["TASK_CONDUCTOR_TEST_REPORT"]

/** Tests that change the environment of their own process, which the library reads once: each file has a process to itself. */
const alone = globSync("test/**/*.test.ts").filter((file) =>
  /process\.env\["\w+"\] = /.test(readFileSync(file, "utf8"))
)

/** Tests that take what others need, such as processes: nothing else runs beside them. */
const greedy = ["test/services/commands/CommandLimits.test.ts"]

/**
 * Tests that compute and wait for no process: more of them at a time than there are processors would only load and compile
 * the sources once more.
 */
const quick = [
  "test/{domain,mutations,fuzz}/**/*.test.ts",
  "test/services/{approvals,configuration,conversation,history,journal,map,models}/**/*.test.ts",
  "test/services/{pipeline,providers,references,runs,skills,tools,web}/**/*.test.ts"
]

/** Short files whose tests take long: they begin first, so that the other workers do not wait for them at the end. */
const isSlow = ({ moduleId }: TestSpecification): boolean =>
  /\/(?:cluster|crash|power|disk|lying|noisy|sideBySide|turns)[^/]*$/.test(moduleId)

class SlowFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: SlowFirst },
    globalSetup: "test/support/builtProduct.ts",
    testTimeout: 90_000,
    /*
     * Node reads single keys only from a terminal that is not "dumb", as the one of an editor may be. More certificates are read in a
     * thread, and a machine that lacks one is warned of on stderr.
     */
    env: { TERM: "xterm", NODE_EXTRA_CA_CERTS: "" },
    /* @effect/vitest prints the error of a failing test once more, before vitest does with its place. */
    onConsoleLog: (log) => !/^\S+ ERROR \(#\d+\):/.test(log),
    projects: [
      {
        extends: true,
        test: {
          name: "quick",
          include: quick,
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
          exclude: [...quick, ...alone, ...greedy],
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 2 }
        }
      },
      { extends: true, test: { name: "alone", include: alone, maxWorkers: 4, sequence: { groupOrder: 2 } } },
      { extends: true, test: { name: "greedy", include: greedy, maxWorkers: 1, sequence: { groupOrder: 3 } } }
    ],
    ...(report === undefined ? {} : { reporters: ["default", "json"], outputFile: { json: report } })
  }
})
