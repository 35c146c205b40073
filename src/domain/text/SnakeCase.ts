/**
 * Names of other programs in the form that tools have here.
 */

/** `readFile`, `read-file` and `Read File` all become `read_file`; empty when no letter or digit is left. */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
