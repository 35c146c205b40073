/** Measures the work of one client in a process of its own. The process prints its figures as one line of JSON. */
import type { Order } from "./Workload.ts"

/** What a client measures itself. The time begins when the modules of the client are loaded. */
export interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
  readonly peakMegabytes: number
}

/** Does the work of a client. `work` returns one result for each task. */
export const measured = async (work: (order: Order) => Promise<ReadonlyArray<string>>): Promise<never> => {
  const order: Order = JSON.parse(process.argv[2] ?? "")
  const used = process.cpuUsage()
  const began = performance.now()
  const results = await work(order)
  const wallMs = performance.now() - began
  const { system, user } = process.cpuUsage(used)
  const right = results.filter((result) => result.includes("is done")).length
  if (right !== order.tasks) throw new Error(`${right} of ${order.tasks} tasks have the right result`)
  const cost: Cost = {
    wallMs,
    cpuMs: (system + user) / 1000,
    peakMegabytes: process.resourceUsage().maxRSS / 1024
  }
  console.log(JSON.stringify(cost))
  process.exit(0)
}
