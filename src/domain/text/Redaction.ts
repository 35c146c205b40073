/**
 * Removes secrets from recorded and reported text: keys and tokens in well-known forms, and given secret values. Redact
 * values before you write them as JSON. A text that contains JSON stays valid JSON.
 */
import type * as Schema from "effect/Schema"
import { withTexts } from "./Json.ts"

export const redacted = "[redacted]"

/**
 * Matches the position before a token. The character before must be no letter, digit or underscore, unless it ends an
 * escape (`\n`, `\x0a`, a colour, `%20`).
 */
const colour = String.raw`(?:\u001b|\\u001b|\\x1b|\\e|\\033)\[[0-9;]{0,20}[A-Za-z]`
const start = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrtv0]|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|${colour}|%[0-9a-fA-F]{2}))`

const begins = (form: RegExp): RegExp => new RegExp(`${start}${form.source}`, form.flags)

const beginKey = String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`
const endKey = String.raw`(?:[^"-]|-(?!----)){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----`
/** The lines of a private key without an end. */
const keyLines = String.raw`(?:(?:\\{1,16}[nr]|\s){1,8}[A-Za-z0-9+/=]{16,80}){1,400}`

/** Forms of tokens that only secrets have. Maximum lengths keep the search linear. */
const tokens: ReadonlyArray<RegExp> = [
  /gh[pousr]_[A-Za-z0-9_]{36,255}/g,
  /github_pat_[A-Za-z0-9_]{22,255}/g,
  /glpat-[A-Za-z0-9_-]{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{7,10})?/g,
  /[rs]k_(?:live|test)_[A-Za-z0-9]{10,250}/g,
  /do[oprt]_v1_[a-f0-9]{64}/g,
  /eyJ[A-Za-z0-9_-]{10,1000}\.eyJ[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{10,1000}/g
]
/** Forms of secrets whose first characters may also end an ordinary word, such as `sk-` in `task-`. */
const endings: ReadonlyArray<RegExp> = [
  /sk-[A-Za-z0-9_-]{20,200}/g,
  /hf_[A-Za-z0-9]{30,100}/g,
  /npm_[A-Za-z0-9]{36}\b/g,
  /(?:xox[abprs]|xapp)-[A-Za-z0-9-]{10,250}/g,
  /(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /AIza[0-9A-Za-z_-]{35}/g,
  /ya29\.[A-Za-z0-9_-]{20,2000}/g,
  /SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}/g
]

const forms = [new RegExp(`${beginKey}(?:${endKey}|${keyLines})`, "g"), ...tokens, ...endings.map(begins)]

/**
 * Forms of secrets that need their context, such as `Authorization: Bearer ...`. Only the secret itself is replaced.
 */
const bearer = begins(/(Bearer\s+)[A-Za-z0-9._~+/=-]{16,4000}/gi)
const basic = /(Authorization[^A-Za-z0-9]{1,12}Basic\s+)[A-Za-z0-9+/=]{8,4000}/gi
const userInfo = /(:\\{0,4}\/\\{0,4}\/[^\s/:@"\\]{0,200}:)[^\s/@"\\]{1,2000}@/g

/**
 * Matches the beginning of every form of a secret. Most texts contain no secret. For them, this one search is cheaper
 * than one search for each form.
 */
const anySign = new RegExp(
  [
    beginKey,
    ...[...tokens, ...endings].map(({ source }) => source),
    "bearer",
    "authorization",
    String.raw`:\\*\/\\*\/`
  ].join("|"),
  "i"
)

const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)/i
/** The minimum length of a secret value. A shorter value may be an ordinary word. */
const leastLength = 8

/** The values of variables whose names suggest a secret, longest first. */
export const secretValues = (variables: Readonly<Record<string, string | undefined>>): ReadonlyArray<string> =>
  Object.entries(variables)
    .flatMap(([name, value]) => (secretName.test(name) && value !== undefined ? [value.trim()] : []))
    .filter((value) => value.length >= leastLength && !/^\/|^[a-z-]+$/.test(value))
    .toSorted((a, b) => b.length - a.length)

const escapedOnce = (value: string): string => JSON.stringify(value).slice(1, -1)

/** Each value as it may be written: unchanged, in JSON, and in JSON inside JSON. */
const spellings = (values: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(values.flatMap((value) => [escapedOnce(escapedOnce(value)), escapedOnce(value), value]))
]

/** Secret values, or a function that returns the secret values known so far. */
export type SecretValues = ReadonlyArray<string> | (() => ReadonlyArray<string>)

/**
 * Returns a function that gives the spellings of the secret values. It computes them again only if `values` returns
 * another list.
 */
const spelled = (values: SecretValues, of: (values: ReadonlyArray<string>) => ReadonlyArray<string>) => {
  if (typeof values !== "function") {
    const all = of(values)
    return () => all
  }
  let before: ReadonlyArray<string> = []
  let all: ReadonlyArray<string> = []
  return () => {
    const now = values()
    if (now !== before) all = of(now)
    before = now
    return all
  }
}

/** Makes a function that replaces only these values in a text. */
export const replaceSecrets = (values: ReadonlyArray<string>): ((text: string) => string) => {
  const all = spellings(values)
  return (given) => all.reduce((text, value) => text.replaceAll(value, redacted), given)
}

/** Makes a function that redacts a text, which may be JSON. */
export const makeRedaction = (values: SecretValues): ((text: string) => string) => {
  const secretSpellings = spelled(values, spellings)
  return (given) => {
    if (given.length < leastLength) return given
    let text = given
    for (const value of secretSpellings()) text = text.replaceAll(value, redacted)
    if (!anySign.test(text)) return text
    for (const form of forms) text = text.replace(form, redacted)
    for (const around of [bearer, basic]) text = text.replace(around, `$1${redacted}`)
    return text.replace(userInfo, `$1${redacted}@`)
  }
}

/** Makes a function that redacts every string in a value, also field names. */
export const makeValueRedaction = (values: SecretValues): ((value: Schema.Json) => Schema.Json) => {
  const redact = makeRedaction(values)
  return (value) => withTexts(value, redact)
}

export const makeSafeJson = (values: SecretValues): ((value: Schema.Json) => string) => {
  const redact = makeValueRedaction(values)
  const secretSpellings = spelled(values, (all) => spellings(spellings(all)))
  return (value) => {
    const json = JSON.stringify(value)
    const mayHold = anySign.test(json) || secretSpellings().some((one) => json.includes(one))
    return mayHold ? JSON.stringify(redact(value)) : json
  }
}
