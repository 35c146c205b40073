/**
 * Which URLs can never be fetched, by their text alone. They are refused without a question, since no answer to it would
 * help; what a name resolves to is judged when it is fetched.
 */
import { isAddress, isGlobalUnicast } from "./NetworkAddress.ts"

/** What the configuration says of hosts, each as `host:port`. */
export interface FetchExceptions {
  /** May be fetched although they are private. */
  readonly allowed: ReadonlyArray<string>
  /** The model server. */
  readonly denied: ReadonlyArray<string>
}

const targetOf = ({ hostname, port, protocol }: URL): string =>
  `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`

/** `localhost` and all below it lead to this machine, whatever a name server says. */
const isLocalName = (host: string): boolean => /^(?:.+\.)?localhost\.?$/i.test(host)

/** Why the URL is never fetched, as a clause of which it is the subject, with what the person can change. */
export const unfetchable = (text: string, { allowed, denied }: FetchExceptions): string | undefined => {
  const url = URL.parse(text)
  if (url === null) return undefined
  const target = targetOf(url)
  if (allowed.includes(target)) return undefined
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const isPrivate = isLocalName(host) || (isAddress(host) && !isGlobalUnicast(host))
  const why = denied.includes(target)
    ? "is an address of the model server"
    : isPrivate
      ? "is not on the public internet"
      : undefined
  return why === undefined
    ? undefined
    : `${why}, which no answer can allow; to permit it, list ${target} under fetchAllow in your user configuration`
}
