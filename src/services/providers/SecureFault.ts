/**
 * Explains problems of secure connections, such as an untrusted certificate or the wrong scheme, and what the user can
 * do. Such a problem also shows that a server is running.
 */
import * as Predicate from "effect/Predicate"
import { oneLine } from "../../domain/text/Format.ts"

export interface SecureFault {
  /** The fault, as a sentence without its full stop. */
  readonly what: string
  /** What the user can do, as a sentence. */
  readonly remedy: string
}

const trusting = (certificate: string): string =>
  `Set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of ${certificate} before task-conductor starts, or NODE_USE_SYSTEM_CA=1 if this machine trusts it.`

const noHelp = "NODE_EXTRA_CA_CERTS does not help against that"

interface CertificateFault {
  readonly is: string
  readonly remedy: string
}

const authority: CertificateFault = {
  is: "is signed by an authority that is not trusted here",
  remedy: trusting("that authority")
}
const ownSignature: CertificateFault = {
  is: "is signed by itself and not trusted here",
  remedy: trusting("the server")
}
const elapsed: CertificateFault = { is: "has expired", remedy: `Renew it on the server; ${noHelp}.` }
const otherName: CertificateFault = {
  is: "is for another name",
  remedy: `Write the address with a name that the certificate has, or give the server a certificate for this one; ${noHelp}.`
}

/** Certificate codes of Node and OpenSSL. `isCertificateCode` recognises others. */
const certificateFaults: ReadonlyMap<string, CertificateFault> = new Map([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", ownSignature],
  ["SELF_SIGNED_CERT_IN_CHAIN", authority],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", authority],
  ["UNABLE_TO_GET_ISSUER_CERT", authority],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", authority],
  ["CERT_UNTRUSTED", authority],
  ["CERT_HAS_EXPIRED", elapsed],
  ["CERT_NOT_YET_VALID", { is: "is not valid yet", remedy: `Look at the clocks of both machines; ${noHelp}.` }],
  ["ERR_TLS_CERT_ALTNAME_INVALID", otherName],
  ["HOSTNAME_MISMATCH", otherName]
])

const isCertificateCode = (code: string): boolean =>
  /^(?:CERT_|CRL_|UNABLE_TO_|ERROR_IN_CERT_|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH_EXCEEDED$|AKID_|OCSP_)/.test(code)

/** The code of the problem. If the certificate is for another host, also the host names in the certificate. */
const certificateWords = (code: string, error: object): string => {
  const certificate = Predicate.hasProperty(error, "cert") ? error.cert : undefined
  const names = Predicate.hasProperty(certificate, "subjectaltname") ? certificate.subjectaltname : undefined
  const isForOther = certificateFaults.get(code) === otherName && typeof names === "string"
  return isForOther ? `${code}: it has ${oneLine(names).slice(0, 200)}` : code
}

/** The same address with the other scheme, as advice. */
const otherScheme = ({ host, protocol }: URL): string => {
  const scheme = protocol === "https:" ? "http" : "https"
  return `${scheme}://${host} in the place of ${protocol}//${host}`
}

/** The error and its nested causes, in which an HTTP client wraps errors of the system. */
const causesOf = (error: unknown, levels = 6): ReadonlyArray<object> => {
  if (!Predicate.isObject(error) || levels === 0) return []
  const { cause, reason } = error as { readonly cause?: unknown; readonly reason?: unknown }
  return [error, ...causesOf(cause, levels - 1), ...causesOf(reason, levels - 1)]
}

const textOf = (error: object, key: "code" | "message"): string =>
  Predicate.hasProperty(error, key) && typeof error[key] === "string" ? error[key] : ""

/** Messages of OpenSSL about a server that answers in plain text. */
const saysPlainText = /wrong version number|packet length too long|http request|unknown protocol|record layer failure/i

const secureConnectionFault = (url: URL, error: object): SecureFault | undefined => {
  const code = textOf(error, "code")
  const message = textOf(error, "message")
  const certificate = certificateFaults.get(code)
  if (certificate !== undefined || isCertificateCode(code)) {
    const { is, remedy } = certificate ?? {
      is: "is not accepted",
      remedy: trusting("the server or of its authority")
    }
    return {
      what: `A server answers at ${url.host}, but its certificate ${is} (${certificateWords(code, error)})`,
      remedy
    }
  }
  if (code !== "EPROTO" && !code.startsWith("ERR_SSL_")) return undefined
  if (saysPlainText.test(message)) {
    return {
      what: `A server answers at ${url.host}, but it speaks http and not https`,
      remedy: `Write ${otherScheme(url)}.`
    }
  }
  const reason = /SSL routines:[^:]*:([^:]+)/.exec(message)?.[1] ?? code
  return {
    what: `A server answers at ${url.host}, but no secure connection can be made (${code}: ${oneLine(reason)})`,
    remedy: `Look at its settings for TLS, or write ${otherScheme(url)} if it speaks http.`
  }
}

/** The security problem that broke a connection before any answer; undefined if there was another reason. */
export const secureFault = (error: unknown, address: string): SecureFault | undefined => {
  const url = URL.parse(address)
  if (url?.protocol !== "https:") return undefined
  for (const cause of causesOf(error)) {
    const fault = secureConnectionFault(url, cause)
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * Error codes of a connection that may have ended because the two sides use different schemes. There can be other
 * reasons, too.
 */
const endsOtherScheme: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"])

/**
 * What the user can try after a connection ended without an answer, as a sentence. Undefined if nothing suggests a
 * wrong scheme.
 */
export const schemeHint = (error: unknown, address: string): string | undefined => {
  const url = URL.parse(address)
  const codes = causesOf(error).map((cause) => textOf(cause, "code"))
  if (url === null || !codes.some((code) => endsOtherScheme.has(code) || code.startsWith("HPE_INVALID")))
    return undefined
  return `If it speaks ${url.protocol === "https:" ? "http" : "https"}, write ${otherScheme(url)}.`
}

/** Answers of HTTPS servers and proxies to a request in plain text. */
const saysSecureOnly =
  /plain HTTP request was sent to (?:an? )?(?:HTTPS|TLS|SSL)|HTTP request to an? HTTPS server|speaking plain HTTP to an? SSL|requires? (?:https|TLS)\b/i

/** The problem if an HTTPS server refused a request in plain text; otherwise undefined. */
export const plainTextRefusal = (text: string, address: string): SecureFault | undefined => {
  const url = URL.parse(address)
  if (url === null || url.protocol !== "http:" || !saysSecureOnly.test(text)) return undefined
  return {
    what: `The server at ${url.host} speaks https and not http`,
    remedy: `Write ${otherScheme(url)}.`
  }
}
