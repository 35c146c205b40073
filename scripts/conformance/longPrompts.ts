/**
 * Prompts that fill a part of the window, for many calls at a time.
 */

export const many = 30

/** How many are sent at a time: as many as a server by default has slots, or more. */
export const parallel = 4

const words = "the loader reads each file of a project once and keeps what it found for the next call".split(" ")

/** A prompt of about so many tokens that begins as no other does, so that no server has it in its cache. */
export const promptOf = (number: number, tokens: number): string =>
  [number, ...Array.from({ length: tokens }, (_, index) => words[(index + number) % words.length])].join(" ")
