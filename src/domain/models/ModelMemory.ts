/** Whether models fit the memory of their server: one on the graphics card, several beside each other. */
import { sizeText } from "../text/Format.ts"

/** What a loaded model takes, in bytes. */
export interface LoadedMemory {
  readonly bytes: number
  /** How much of it is on the graphics card. */
  readonly gpuBytes: number
  /** The window with which it is loaded, in tokens. */
  readonly window?: number | undefined
}

/** A model of a server, with the size of its file in bytes. */
interface SizedModel {
  readonly name: string
  readonly size?: number | undefined
  readonly memory?: LoadedMemory | undefined
  readonly isForwarded?: boolean | undefined
}

/** About how many times as long a layer takes on the CPU as on the graphics card. */
const cpuFactor = 6

/** Less than this stays on the CPU also where everything fits. */
const leastShare = 0.02

/** Windows are made smaller in steps of this. */
const windowStep = 1024

/** The largest window with which a model whose file has this size would fit what it has of the graphics card now. */
const fittingWindow = ({ bytes, gpuBytes, window }: LoadedMemory, fileSize: number): number | undefined => {
  if (window === undefined || bytes <= fileSize || gpuBytes <= fileSize) return undefined
  const fits = (window * (gpuBytes - fileSize)) / (bytes - fileSize)
  const whole = Math.floor(fits / windowStep) * windowStep
  return whole < windowStep ? undefined : whole
}

/** `40 % on the CPU, expect a third of the speed`; nothing for a model that is on the graphics card as a whole. */
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

/** What a model needs beside its file, for a window of usual size. */
const besideFile = 1.2

/**
 * Says that models do not fit beside each other, so that the server loads each anew whenever another one is asked. `memory` is
 * that of the machine of the server in bytes, where it is known.
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
