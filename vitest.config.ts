import { defineConfig } from "vitest/config"

/** Where the results go as JSON as well; scripts/test.ts counts them. */
const report = process.env["TASK_CONDUCTOR_TEST_REPORT"]

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    /* Hundreds of tests start processes: on a busy machine one may meet its limit. What fails otherwise fails at once. */
    ...(report === undefined
      ? {}
      : { retry: { count: 1, condition: /timed out/ }, reporters: ["default", "json"], outputFile: { json: report } })
  }
})
