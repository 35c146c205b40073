import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

/** Where the results go as JSON as well; scripts/test.ts counts them. */
const report = process.env["TASK_CONDUCTOR_TEST_REPORT"]

/** Tests that change the environment of their own process: each file has a process to itself. */
const alone = ["test/cluster.test.ts", "test/index.test.ts", "test/library/ask.test.ts", "test/run/askOllama.test.ts"]

export default defineConfig({
  test: {
    globalSetup: "test/support/builtProduct.ts",
    testTimeout: 90_000,
    /* Many tests wait for processes that they started, so more of them than processors go on at a time. */
    maxWorkers: Math.max(5, availableParallelism()),
    projects: [
      { extends: true, test: { name: "alone", include: alone } },
      /* Loading Effect anew for each file would take longer than the tests. */
      { extends: true, test: { name: "together", include: ["test/**/*.test.ts"], exclude: alone, isolate: false } }
    ],
    ...(report === undefined ? {} : { reporters: ["default", "json"], outputFile: { json: report } })
  }
})
