/**
 * Takes secrets out of what is kept: well-known forms of keys and tokens, and values that the caller knows to be secret.
 * Called where records are written. Works on JSON text and leaves it JSON.
 */

/** What stands in the place of a secret. */
export const redacted = "[redacted]"

/** Forms that nothing else has. Each is bounded, so that its cost is linear. */
const forms: ReadonlyArray<RegExp> = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^"]{0,20000}?-----END [A-Z ]{0,40}PRIVATE KEY-----/g,
  /\bsk-[A-Za-z0-9_-]{20,200}/g,
  /\bgh[pousr]_[A-Za-z0-9]{36,255}/g,
  /\bgithub_pat_[A-Za-z0-9_]{22,255}/g,
  /\bglpat-[A-Za-z0-9_-]{20,100}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,200}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  /\beyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g
]

/** `Authorization: Bearer ...` and `https://name:password@host`: what stands around the secret stays. */
const bearer = /\b(Bearer\s+)[A-Za-z0-9._~+/=-]{16,4000}/gi
const userInfo = /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"\\]{0,200}:)[^\s/@"\\]{1,200}@/gi

const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)/i
/** A shorter value may be a word that stands everywhere. */
const leastLength = 8

/** The values of variables whose names say that they are secret; the longest first. */
export const secretValues = (variables: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.entries(variables)
    .flatMap(([name, value]) => (secretName.test(name) && value !== undefined ? [value.trim()] : []))
    .filter((value) => value.length >= leastLength && !/^\/|^[a-z-]+$/.test(value))
    .toSorted((a, b) => b.length - a.length)

/** Makes the function that takes secrets out of JSON text. */
export const makeRedaction = (values: ReadonlyArray<string>): ((json: string) => string) => {
  const escaped = values.map((value) => JSON.stringify(value).slice(1, -1))
  return (json) => {
    let text = json
    for (const value of escaped) text = text.replaceAll(value, redacted)
    for (const form of forms) text = text.replace(form, redacted)
    return text.replace(bearer, `$1${redacted}`).replace(userInfo, `$1${redacted}@`)
  }
}
