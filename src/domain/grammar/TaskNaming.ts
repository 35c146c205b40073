/**
 * Gives every task of a list its name, right after reading and before any check, so that every issue can say which task
 * it is about.
 */
import type { RawTask, TaskNote, RawStep } from "./RawTask.ts"
import { slugOf } from "../text/Slug.ts"
import { givenName, givenSkill } from "./FieldValues.ts"

/** A raw task with its name and the position of its section. */
export interface NamedTask {
  readonly raw: RawTask
  readonly name: string
  readonly slug: string
  /** Position of the section, from 0. */
  readonly step: number
  readonly section: string
  /** What was mended to get the name. */
  readonly notes: ReadonlyArray<TaskNote>
}

/** `<skill> <n>` or `Task <n>`. */
export const defaultName = (skill: string, number: number): string =>
  `${slugOf(skill) === "" ? "Task" : skill} ${number}`

/**
 * The given name, or `<skill> <n>`, or `Task <n>`; n counts all tasks of the list and goes on where that name is taken by
 * another task or by a finished one (`finished` holds slugs).
 */
export const nameTasks = (steps: ReadonlyArray<RawStep>, finished: ReadonlySet<string>): ReadonlyArray<NamedTask> => {
  const given = steps.flatMap(({ section, tasks }, step) =>
    tasks.map((raw) => ({ raw, section, step, given: givenName(raw) }))
  )
  const taken = new Set([
    ...finished,
    ...given.flatMap(({ given: { value } }) => (value === "" ? [] : [slugOf(value)]))
  ])
  // How far the search for a free number has come, per skill: keeps it linear.
  const reached = new Map<string, number>()
  const freeName = (skill: string, position: number): string => {
    let number = Math.max(position, (reached.get(skill) ?? 0) + 1)
    while (taken.has(slugOf(defaultName(skill, number)))) number += 1
    reached.set(skill, number)
    taken.add(slugOf(defaultName(skill, number)))
    return defaultName(skill, number)
  }
  return given.map(({ given: { notes, value }, raw, section, step }, index) => {
    const name = value === "" ? freeName(givenSkill(raw).value, index + 1) : value
    return { raw, section, step, notes, name, slug: slugOf(name) }
  })
}
