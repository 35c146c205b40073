/**
 * The password file of PostgreSQL's programs: lines of `host:port:database:user:password`, each of the first four a value
 * or `*`. The first line that fits counts. A backslash takes a colon or a backslash as it is.
 */

export interface PasswordPlace {
  readonly host: string
  readonly port: string
  readonly database: string
  readonly user: string
}

/** The fields of a line; the password may hold colons only behind a backslash, as the others. */
const fieldsOf = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) => field.replaceAll(/\\(.)/g, "$1"))

/** True when a field of a line is one of these values, or any. */
const fits = (field: string | undefined, values: ReadonlyArray<string>): boolean =>
  field === "*" || (field !== undefined && values.includes(field))

/** The password for a place; nothing when no line fits. A folder of sockets is named by itself or as localhost. */
export const findPassword = (text: string, { database, host, port, user }: PasswordPlace): string | undefined => {
  const hosts = host === "" || host.startsWith("/") ? [host, "localhost"] : [host]
  for (const line of text.split(/\r?\n/)) {
    if (line === "" || line.startsWith("#")) continue
    const [ofHost, ofPort, ofDatabase, ofUser, password] = fieldsOf(line)
    if (fits(ofHost, hosts) && fits(ofPort, [port]) && fits(ofDatabase, [database]) && fits(ofUser, [user])) {
      return password
    }
  }
  return undefined
}
