import { defineConfig } from "vitest/config"

/** Where the results go as JSON as well; .ci/run counts them. */
const report = process.env["TASK_CONDUCTOR_TEST_REPORT"]

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    /* Hundreds of tests start processes: on a busy machine one may meet its limit. The report names what was tried twice. */
    ...(report === undefined ? {} : { retry: 1, reporters: ["default", "json"], outputFile: { json: report } })
  }
})
