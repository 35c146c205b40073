/** All values that stand under a key, anywhere in a JSON value. */
export const valuesOf = (json: unknown, key: string): ReadonlyArray<unknown> =>
  typeof json !== "object" || json === null
    ? []
    : Object.entries(json).flatMap(([name, value]) => (name === key ? [value] : valuesOf(value, key)))
