/** Drops fields whose value is undefined, so that printing and comparing ignore them. */
export const definedFields = <A extends object>(fields: A): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as A
