/**
 * What a running command uses, read from /proc: the memory and the processes of everything that it started. Elsewhere than
 * on Linux nothing is found.
 */
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

/** The largest size of a page that Linux uses there: the first, rough count may be too large, but not too small. */
const pageBytes = ["arm64", "ppc64"].includes(process.arch) ? 65_536 : 4096

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

/** A line of /proc/PID/stat; the name of the program, in parentheses, may hold anything. */
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

/** The process with all that descends from it, or is of its session. */
const processTree = (first: number, all: ReadonlyArray<ProcessLine> = allProcesses()) => {
  const children = Map.groupBy(all, ({ parent }) => parent)
  const tree = new Set(all.filter(({ pid, session }) => pid === first || session === first))
  /* What is added while the set is walked is walked too. */
  for (const { pid } of tree) for (const child of children.get(pid) ?? []) tree.add(child)
  return [...tree]
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

/** The share of a process of the memory that it has in common with others; what is resident where that is not shown. */
const sharedOut = ({ pid, residentBytes }: ProcessLine): number => {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1]
  return kilobytes === undefined ? residentBytes : Number(kilobytes) * 1024
}

const tmpfs = 0x01021994

/** What lies in a temporary folder of the sandbox; 0 when something else is mounted there. */
const bytesIn = (folder: string, sizeBytes: number): number => {
  try {
    const { bfree, blocks, bsize, type } = statfsSync(folder)
    const isOwn = type === tmpfs && Math.abs(blocks * bsize - sizeBytes) < bsize
    return isOwn ? (blocks - bfree) * bsize : 0
  } catch {
    return 0
  }
}

/** Folders of the sandbox that lie in memory. */
export interface TemporaryFolders {
  readonly paths: ReadonlyArray<string>
  readonly sizeBytes: number
}

/**
 * What the process and all that it started use now. `inner` is the first process in the sandbox, through which its
 * temporary folders are seen. Memory in common is counted once, which takes longer, only when `enough` could be exceeded.
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
