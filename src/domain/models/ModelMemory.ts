/**
 * Checks whether models fit the memory of their server: one on the graphics card, several together.
 */
import { sizeText } from "../text/Format.ts"

/** The memory of a loaded model, in bytes. */
export interface LoadedMemory {
  /** On the graphics card and in the memory of the machine together. */
  readonly bytes: number
  /** The part on the graphics card. */
  readonly gpuBytes: number
  /** The window of the loaded model, in tokens. */
  readonly window?: number | undefined
}

/** A model of a server, with the size of its file in bytes. */
interface SizedModel {
  readonly name: string
  readonly size?: number | undefined
  readonly memory?: LoadedMemory | undefined
  readonly isForwarded?: boolean | undefined
}

/** A layer takes about this many times longer on the CPU than on the graphics card. */
const cpuFactor = 6

/** A smaller part stays on the CPU even when everything fits. */
const leastShare = 0.02

/** Suggested windows are multiples of this. */
const windowStep = 1024

/** The largest window with which a model of this file size would fit its part of the graphics card. */
const fittingWindow = ({ bytes, gpuBytes, window }: LoadedMemory, fileSize: number): number | undefined => {
  if (window === undefined || bytes <= fileSize || gpuBytes <= fileSize) return undefined
  const fits = (window * (gpuBytes - fileSize)) / (bytes - fileSize)
  const whole = Math.floor(fits / windowStep) * windowStep
  return whole < windowStep ? undefined : whole
}

/** `40 % on the CPU, expect a third of the speed`; undefined for a model entirely on the graphics card. */
export const memoryText = (memory: LoadedMemory, fileSize: number = Infinity): string | undefined => {
  const { bytes, gpuBytes } = memory
  const share = bytes <= 0 ? 0 : 1 - gpuBytes / bytes
  if (share < leastShare) return undefined
  if (gpuBytes <= 0) return "on the CPU alone"
  const slower = Math.round(10 * (1 - share + share * cpuFactor)) / 10
  const window = fittingWindow(memory, fileSize)
  const remedy = window === undefined ? "" : `, a window of ${window} tokens would fit`
  return `${Math.round(share * 100)} % on the CPU, about ${slower} times slower${remedy}`
}

/** The memory of a model relative to its file, at a usual window size. */
const besideFile = 1.2

/**
 * Warns that models do not fit together, so that the server loads each one again when it is called. `memory` is the server's
 * memory in bytes, if known.
 */
export const togetherText = (models: ReadonlyArray<SizedModel>, memory: number | undefined): string | undefined => {
  const here = models.filter(({ isForwarded }) => !isForwarded)
  if (here.length < 2) return undefined
  const names = here.map(({ name, size }) => `${name}${size === undefined ? "" : ` (${sizeText(size)})`}`).join(" and ")
  const consequence =
    "The server loads each anew whenever another one is asked. Use one model for all stages, or smaller ones."
  const needed = here.reduce((sum, { memory: loaded, size = 0 }) => sum + (loaded?.bytes ?? size * besideFile), 0)
  if (memory !== undefined && needed > memory) {
    return `The models ${names} need about ${sizeText(needed)} together, and the machine has ${sizeText(memory)}. ${consequence}`
  }
  const partly = here.find(
    ({ memory: loaded }) => loaded !== undefined && loaded.gpuBytes > 0 && memoryText(loaded) !== undefined
  )
  if (partly === undefined) return undefined
  return `The graphics card does not hold ${partly.name} as a whole, so of ${names} one at a time fits. ${consequence}`
}
