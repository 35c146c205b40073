/** Servers with certificates that are not trusted, and addresses with the scheme of the other kind, by real connections. */
import * as http from "node:http"
import * as https from "node:https"
import { createServer, type AddressInfo, type Server } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import { fromAiError } from "../../../src/services/providers/ModelErrors.ts"
import { connectOllama } from "../../../src/services/providers/ollama/OllamaServer.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { connectOpenAi } from "../../../src/plugins/openai/OpenAiServer.ts"
import { layerOpenAi } from "../../../src/plugins/openai/OpenAiModel.ts"
import { schemeHint, secureFault } from "../../../src/services/providers/SecureFault.ts"
import { makeCertificate } from "../../support/Certificate.ts"
import { liveTest } from "../../support/liveTest.ts"

const own = makeCertificate("IP:127.0.0.1")
const elsewhere = makeCertificate("DNS:models.example")
const expired = makeCertificate("IP:127.0.0.1", true)

/** Its own certificate is its authority. */
const selfSigned = () => {
  const { authority, authorityKey } = own
  return https.createServer({ cert: authority, key: authorityKey }, (_, response) => response.end("{}"))
}
const secure = ({ certificate, key }: typeof own) =>
  https.createServer({ cert: certificate, key }, (_, response) => response.end("{}"))
const answering = (status: number, body: string) =>
  http.createServer((_, response) => response.writeHead(status).end(body))
const nginx =
  "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head><body>nginx</body></html>"

const open = (server: Server, scheme: string) =>
  Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
    () => Effect.sync(() => server.close())
  ).pipe(Effect.map(() => `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`))

const plain = "Reason: You're speaking plain HTTP to an SSL-enabled server port."
const notHttp = () =>
  createServer((socket) => socket.on("error", () => undefined).end("\u0015\u0003\u0001\u0000\u0002\u0002"))
const speaksHttps = [/speaks https and not http/, /Write https:\/\/HOST in the place/]
const trust = /Set NODE_EXTRA_CA_CERTS/
const selfSays = /is signed by itself and not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\)/
const ownSays = /authority that is not trusted here \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/
const writeHttps = /If it speaks https, write https:\/\/HOST in the place of http:\/\/HOST\./
const writeHttp = /Write http:\/\/HOST in the place of https:\/\/HOST/

type Variant = readonly [
  name: string,
  server: () => Server,
  scheme: "http" | "https",
  tag: "NotSecure" | "Unreachable",
  says: ReadonlyArray<RegExp>
]

const variants: ReadonlyArray<Variant> = [
  ["a certificate that signs itself", selfSigned, "https", "NotSecure", [selfSays, trust]],
  ["a certificate of an authority of its own", () => secure(own), "https", "NotSecure", [ownSays, trust]],
  ["http to a server of https", () => secure(own), "http", "Unreachable", [/ECONNRESET/, writeHttps]],
  ...[nginx, plain, "Client sent an HTTP request to an HTTPS server.\n"].map((said): Variant => [
    "http to a server of https that says so",
    () => answering(400, said),
    "http",
    "NotSecure",
    speaksHttps
  ]),
  ["bytes that are no HTTP", notHttp, "http", "Unreachable", [/If it speaks https, write https/]],
  [
    "https to a server of http",
    () => answering(200, "{}"),
    "https",
    "NotSecure",
    [/speaks http and not https/, writeHttp]
  ]
]

const model = { contextWindow: 8192, maxAnswerTokens: 64 }
const providers = [
  {
    title: "Ollama",
    path: "",
    layer: (host: string) => layerOllama({ ...model, model: "m", host }),
    greeting: (host: string) => Effect.flatMap(connectOllama({ host }), ({ greeting }) => greeting)
  },
  {
    title: "the API of OpenAI",
    path: "/v1",
    layer: (host: string) => layerOpenAi({ ...model, model: "openai:m", host }),
    greeting: (host: string) => Effect.flatMap(connectOpenAi({ host }), ({ greeting }) => greeting)
  }
] as const

describe.each(providers)("a server of $title", ({ greeting, layer, path }) => {
  liveTest.each(variants)("is said to answer with %s", function* ([, server, scheme, tag, says]) {
    const origin = yield* open(server(), scheme)
    const host = `${origin}${path}`
    const failure = yield* Effect.flip(Effect.provide(LanguageModel.generateText({ prompt: "Hello" }), layer(host)))
    const called = fromAiError(failure, { host, model: "m", partial: "" })
    const asked = yield* Effect.flip(greeting(host))
    for (const error of [called, asked]) {
      assert.strictEqual(error.reason._tag, tag)
      assert.isTrue(error.isUnavailable)
      const message = error.message.replaceAll(new URL(host).host, "HOST")
      for (const text of says) assert.match(message, text)
    }
  })
})

/** With an authority that is trusted, as NODE_EXTRA_CA_CERTS makes it. */
const trusting = (address: string, ca: string) =>
  Effect.promise(
    () =>
      new Promise<unknown>((resolve) => {
        https.get(address, { ca }, () => resolve(undefined)).on("error", resolve)
      })
  )

describe("a certificate of a trusted authority", () => {
  liveTest.each([
    ["that has expired", expired, /has expired \(CERT_HAS_EXPIRED\)/, /Renew it/],
    [
      "for another name",
      elsewhere,
      /is for another name \(ERR_TLS_CERT_ALTNAME_INVALID.*models\.example/,
      /a name that/
    ]
  ] as const)("%s is named, and that NODE_EXTRA_CA_CERTS does not help", function* ([, certificate, what, remedy]) {
    const address = yield* open(secure(certificate), "https")
    const fault = secureFault(yield* trusting(address, certificate.authority), address)
    assert.match(fault?.what ?? "", what)
    assert.match(fault?.remedy ?? "", remedy)
    assert.match(fault?.remedy ?? "", /NODE_EXTRA_CA_CERTS does not help/)
  })

  liveTest("is accepted", function* () {
    const address = yield* open(secure(own), "https")
    assert.isUndefined(yield* trusting(address, own.authority))
  })
})

describe("other failures", () => {
  it.each(["ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT"])("say nothing of security: %s", (code) => {
    const error = Object.assign(new Error("no"), { code })
    assert.isUndefined(secureFault(error, "https://models.example"))
    assert.isUndefined(schemeHint(error, "https://models.example"))
  })
  it.each([
    "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    "CERT_REVOKED",
    "CERT_NOT_YET_VALID",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "CERT_UNTRUSTED",
    "HOSTNAME_MISMATCH"
  ])("with the code %s are of security, also below that of an HTTP client", (code) => {
    const cause = Object.assign(new Error("no"), { code })
    assert.isDefined(secureFault(new Error("fetch failed", { cause }), "https://models.example"))
  })
})
