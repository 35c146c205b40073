/** The report of a run that did nothing, with what a test says of it. */
import { noUsage, type RunReport } from "../../src/domain/runs/RunReport.ts"

export const reportWith = (more: Partial<RunReport>): RunReport => ({
  runId: "r1",
  status: "done",
  answer: "",
  message: "",
  issues: [],
  goals: "",
  results: [],
  failures: [],
  rounds: 0,
  usage: noUsage,
  ...more
})
