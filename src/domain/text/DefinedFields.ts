/** Drops undefined fields, for programs that print or compare the object. */
export const definedFields = <A extends object>(fields: A): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as A
