/**
 * The order in which tasks are urgent when they may start before their section: a task is as urgent as the work that
 * waits for it. When every section waits for the one before it, the turn of a task is the position of its section.
 */

/** What decides which tasks wait for each other. */
export interface TurnTask {
  readonly slug: string
  /** The tasks whose results it refers to. */
  readonly producers: ReadonlyArray<string>
  /** True when all tasks before it have to end first, and all tasks after it wait for it. */
  readonly isBarrier: boolean
}

/** The turn of each task by its slug, from 0; a smaller one is more urgent. */
export const turnsOf = (steps: ReadonlyArray<ReadonlyArray<TurnTask>>): ReadonlyMap<string, number> => {
  /** How many tasks have to run one after another from a task on, with itself. */
  const lengths = new Map<string, number>()
  /** The longest of those that refer to a task. */
  const consumers = new Map<string, number>()
  let longest = 0
  let longestBarrier = 0
  for (const tasks of steps.toReversed()) {
    const found = tasks.map(
      ({ isBarrier, slug }) => 1 + Math.max(consumers.get(slug) ?? 0, isBarrier ? longest : longestBarrier)
    )
    for (const [index, { isBarrier, producers, slug }] of tasks.entries()) {
      const length = found[index] ?? 1
      lengths.set(slug, length)
      longest = Math.max(longest, length)
      if (isBarrier) longestBarrier = Math.max(longestBarrier, length)
      for (const producer of producers) consumers.set(producer, Math.max(consumers.get(producer) ?? 0, length))
    }
  }
  return new Map([...lengths].map(([slug, length]) => [slug, longest - length]))
}

/** The same tasks in the order of the list, with turns of many tasks split into turns of at most so many. */
export const splitTurns = <Placed extends { readonly turn: number }>(
  tasks: ReadonlyArray<Placed>,
  most: number
): ReadonlyArray<Placed> => {
  const counts = new Map<number, number>()
  return tasks.map((task) => {
    const before = counts.get(task.turn) ?? 0
    counts.set(task.turn, before + 1)
    return { ...task, turn: task.turn * tasks.length + Math.floor(before / most) }
  })
}
