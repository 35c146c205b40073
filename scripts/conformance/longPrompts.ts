/**
 * Prompts that fill a part of the window, for many parallel calls.
 */

export const many = 30

/** Number of parallel calls: at least a server's default slots. */
export const parallel = 4

const words = "the loader reads each file of a project once and keeps what it found for the next call".split(" ")

/** A prompt of about this many tokens with a unique start, so that no cache has it. */
export const promptOf = (number: number, tokens: number): string =>
  [number, ...Array.from({ length: tokens }, (_, index) => words[(index + number) % words.length])].join(" ")
