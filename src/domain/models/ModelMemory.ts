/**
 * Checks whether models fit into the memory of their server: one model on the graphics card, or several models
 * together.
 */
import { sizeText } from "../text/Format.ts"

/** The memory of a loaded model, in bytes. */
export interface LoadedMemory {
  /** Memory on the graphics card and on the machine together. */
  readonly bytes: number
  /** Memory on the graphics card. */
  readonly gpuBytes: number
  /** The context window with which the model is loaded, in tokens. */
  readonly window?: number | undefined
}

/** A model of a server. `size` is the size of its file in bytes. */
interface SizedModel {
  readonly name: string
  readonly size?: number | undefined
  readonly memory?: LoadedMemory | undefined
  readonly isForwarded?: boolean | undefined
}

/** For one layer of a model, the CPU takes about this many times as long as the graphics card. */
const cpuFactor = 6

/**
 * The smallest share of a model on the CPU that is reported. A small part is always on the CPU, even if the model fits
 * the graphics card.
 */
const leastShare = 0.02

/** Suggested windows are multiples of this many tokens. */
const windowStep = 1024

/**
 * The largest window with which the whole model would fit into the graphics memory that it takes now. Undefined if this
 * is less than `windowStep`, or unknown.
 */
const fittingWindow = ({ bytes, gpuBytes, window }: LoadedMemory, fileSize: number): number | undefined => {
  if (window === undefined || bytes <= fileSize || gpuBytes <= fileSize) return undefined
  const fits = (window * (gpuBytes - fileSize)) / (bytes - fileSize)
  const whole = Math.floor(fits / windowStep) * windowStep
  return whole < windowStep ? undefined : whole
}

/**
 * How much of a model runs on the CPU: `40 % on the CPU, about 3 times slower`. Undefined if the share is below
 * `leastShare`.
 */
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

/** The memory that a model needs with a usual context window, as a multiple of its file size. */
const besideFile = 1.2

/**
 * Warns that several models do not fit into memory together, so that the server must reload at each change of model.
 * `memory` is the server's memory in bytes, if known.
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
