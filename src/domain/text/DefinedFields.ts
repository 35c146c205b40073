/** Drops fields whose value is undefined. A program that prints or compares the object then does not see them. */
export const definedFields = <A extends object>(fields: A): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as A
