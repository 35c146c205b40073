/**
 * How much work something takes as it grows, in steps that no clock and no other process changes.
 */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

/** What is compiled while it runs is not counted block by block. */
const uncompiled = ["--no-opt", "--no-maglev", "--no-sparkplug", "--no-warnings"]

/** The steps of each work that a module exports (see `Works` of stepCounter.ts), for each size. */
export const countSteps = async (
  module: string,
  sizes: ReadonlyArray<number>
): Promise<Readonly<Record<string, ReadonlyArray<number>>>> => {
  const counter = join(import.meta.dirname, "stepCounter.ts")
  const words = [...uncompiled, counter, module, ...sizes.map(String)]
  const { stdout } = await promisify(execFile)(process.execPath, words, { maxBuffer: 10_000_000 })
  return JSON.parse(stdout) as Readonly<Record<string, ReadonlyArray<number>>>
}
