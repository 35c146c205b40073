/** Limits a process to a part of one processor. Uses a control group of the machine, which must be writable. */
import * as Effect from "effect/Effect"
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"

const period = 100_000
const folders = { first: "/sys/fs/cgroup/cpu", second: "/sys/fs/cgroup" }

/**
 * Limits a process to `percent` of one processor until the scope closes. Also limits processes that it starts from now
 * on.
 */
export const limitProcessor = (pid: number, percent: number) => {
  const isFirst = existsSync(`${folders.first}/cpu.cfs_quota_us`)
  const folder = `${isFirst ? folders.first : folders.second}/task-conductor-bench-${pid}`
  const quota = (period * percent) / 100
  return Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(folder)
      if (isFirst) writeFileSync(`${folder}/cpu.cfs_quota_us`, String(quota))
      else writeFileSync(`${folder}/cpu.max`, `${quota} ${period}`)
      writeFileSync(`${folder}/cgroup.procs`, String(pid))
    }),
    () =>
      Effect.sync(() => {
        for (const one of readFileSync(`${folder}/cgroup.procs`, "utf8")
          .split("\n")
          .filter((line) => line !== ""))
          writeFileSync(`${folder}/../cgroup.procs`, one)
        rmdirSync(folder)
      })
  )
}
