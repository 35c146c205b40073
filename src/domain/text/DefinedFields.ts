/** The fields that have a value, so that a record that is printed or compared has no others. */
export const definedFields = <A extends object>(fields: A): A =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as A
