/**
 * Drops fields without a value, so that printing and comparing ignore them.
 */
export const definedFields = <A extends object>(fields: A): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as A
