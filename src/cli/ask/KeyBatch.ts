/**
 * Turns the keys that arrive together into steps of the editor: typed characters, pasted text, keys. A paste is one step,
 * whatever it holds, so that none of its lines is sent by itself.
 */
import * as Option from "effect/Option"
import type { UserInput } from "effect/Terminal"
import type { Key } from "./LineEditor.ts"

export type Step = { readonly _tag: "Paste"; readonly text: string } | { readonly _tag: "Key"; readonly key: Key }

/** The steps of a batch of keys, and whether a paste goes on after it. */
export interface KeySteps {
  readonly steps: ReadonlyArray<Step>
  readonly isPasting: boolean
  /** The batch is a paste of a terminal that does not mark pastes; more of it may follow. */
  readonly isUnmarked: boolean
}

const isReturn = ({ key }: UserInput): boolean => key.name === "return" && !key.meta

const textOf = ({ input, key }: UserInput): string =>
  key.name === "return" || key.name === "enter" ? "\n" : Option.getOrElse(input, () => "")

/** Line feeds after carriage returns belong to them. */
const joined = (keys: ReadonlyArray<UserInput>): string =>
  keys
    .filter(({ key }, index) => key.name !== "enter" || keys[index - 1]?.key.name !== "return")
    .map(textOf)
    .join("")

/**
 * True for keys that a terminal without marks for pastes sends as a paste: a person does not press Enter twice, or go on
 * typing after it, before the program has looked.
 */
const looksPasted = (keys: ReadonlyArray<UserInput>): boolean => {
  const first = keys.findIndex(isReturn)
  return first !== -1 && first < keys.length - 1 && keys.every(({ key }) => !key.ctrl || key.name === "enter")
}

const keyOf = ({ input, key }: UserInput): Key => ({
  name: key.name,
  ctrl: key.ctrl,
  meta: key.meta,
  ...Option.match(input, { onNone: () => ({}), onSome: (text) => ({ text }) })
})

/** Where a batch of keys stands. */
export interface BatchPlace {
  /** The batch before ended within a marked paste. */
  readonly isPasting: boolean
  /** The batch before was an unmarked paste, and this one came right after it. */
  readonly followsPaste: boolean
  /** No batch was before: it may hold what was typed before the line was there. */
  readonly isFirst: boolean
}

const isLineFeed = ({ key }: UserInput): boolean => key.name === "enter"

/** The terminal turned Enter into a line feed as long as the line was not there: one line that was typed ahead. */
const asTyped = (keys: ReadonlyArray<UserInput>): ReadonlyArray<UserInput> => {
  const last = keys.at(-1)
  const isLine = keys.length > 1 && keys.findIndex(isLineFeed) === keys.length - 1 && !keys.some(isReturn)
  return isLine && last !== undefined ? [...keys.slice(0, -1), { ...last, key: { ...last.key, name: "return" } }] : keys
}

/** Reads a batch. */
export const stepsOf = (given: ReadonlyArray<UserInput>, place: BatchPlace): KeySteps => {
  const keys = place.isFirst ? asTyped(given) : given
  const isMarked = place.isPasting || keys.some(({ key }) => key.name === "paste-start")
  if (!isMarked && (looksPasted(keys) || (place.followsPaste && keys.some(isReturn)))) {
    return { steps: [{ _tag: "Paste", text: joined(keys).replace(/\n$/, "") }], isPasting: false, isUnmarked: true }
  }
  const steps: Array<Step> = []
  let { isPasting } = place
  let run: Array<UserInput> = []
  const flush = (): void => {
    if (isPasting && run.length > 0) steps.push({ _tag: "Paste", text: joined(run) })
    else steps.push(...run.map((one) => ({ _tag: "Key", key: keyOf(one) }) as const))
    run = []
  }
  for (const one of keys) {
    const isStart = one.key.name === "paste-start"
    const isEnd = one.key.name === "paste-end"
    /* A terminal that never marks the end must not hold the person. */
    const isWayOut = isPasting && one.key.ctrl && one.key.name === "c"
    if (!isStart && !isEnd && !isWayOut) {
      run.push(one)
      continue
    }
    flush()
    isPasting = isStart
    if (isWayOut) steps.push({ _tag: "Key", key: keyOf(one) })
  }
  flush()
  return { steps, isPasting, isUnmarked: false }
}
