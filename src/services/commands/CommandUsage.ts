/** Measures the processes and memory of a running command from /proc. Returns nothing on systems other than Linux. */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync, statfsSync } from "node:fs"
import type { CommandUsage } from "../../domain/commands/CommandLimits.ts"

interface ProcessLine {
  readonly pid: number
  readonly parent: number
  readonly session: number
  readonly threads: number
  readonly residentBytes: number
}

/**
 * The largest page size of Linux on this processor. With it, the first estimate of memory may be too high, but never
 * too low.
 */
const pageBytes = ["arm64", "ppc64"].includes(process.arch) ? 65_536 : 4096

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** Parses /proc/PID/stat. The name of the program, in parentheses, may contain any character. */
const readLine = (pid: number): ProcessLine | undefined => {
  const text = textOf(`/proc/${pid}/stat`)
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  const [, parent, , session] = fields
  if (parent === undefined || session === undefined) return undefined
  return { pid, parent, session, threads: fields[17] ?? 1, residentBytes: (fields[21] ?? 0) * pageBytes }
}

const allProcesses = (): ReadonlyArray<ProcessLine> => {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    return pids.map((pid) => readLine(Number(pid))).filter((line) => line !== undefined)
  } catch {
    return []
  }
}

/** A process with all its descendants and all processes of its session. */
const processTree = (first: number, all: ReadonlyArray<ProcessLine> = allProcesses()) => {
  const children = Map.groupBy(all, ({ parent }) => parent)
  const tree = new Set(all.filter(({ pid, session }) => pid === first || session === first))
  /** The loop also visits the elements that it adds to the set. */
  for (const { pid } of tree) for (const child of children.get(pid) ?? []) tree.add(child)
  return [...tree]
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

/**
 * The memory of a process, including its part of the memory that processes share. If this part is unknown, all resident
 * memory counts.
 */
const sharedOut = ({ pid, residentBytes }: ProcessLine): number => {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1]
  return kilobytes === undefined ? residentBytes : Number(kilobytes) * 1024
}

const tmpfs = 0x01021994

/** The bytes in a temporary folder of the sandbox; 0 if something else is mounted there. */
const bytesIn = (folder: string, sizeBytes: number): number => {
  try {
    const { bfree, blocks, bsize, type } = statfsSync(folder)
    const isOwn = type === tmpfs && Math.abs(blocks * bsize - sizeBytes) < bsize
    return isOwn ? (blocks - bfree) * bsize : 0
  } catch {
    return 0
  }
}

/** In-memory folders of the sandbox. */
export interface TemporaryFolders {
  readonly paths: ReadonlyArray<string>
  readonly sizeBytes: number
}

/**
 * Measures what a process and its descendants use. The temporary folders are visible through `inner`, the first process
 * in the sandbox. The exact count of shared memory is slow, so it is made only if the rough count exceeds `enough`.
 */
export const usageOf = (
  pid: number,
  enough: number,
  inner?: number,
  { paths, sizeBytes }: TemporaryFolders = { paths: [], sizeBytes: 0 }
): Effect.Effect<CommandUsage> =>
  Effect.sync(() => {
    const tree = processTree(pid)
    const written = inner === undefined ? 0 : sum(paths.map((one) => bytesIn(`/proc/${inner}/root${one}`, sizeBytes)))
    const rough = written + sum(tree.map(({ residentBytes }) => residentBytes))
    return {
      processes: sum(tree.map(({ threads }) => threads)),
      memoryBytes: rough <= enough ? rough : written + sum(tree.map(sharedOut))
    }
  })
