import { assert, describe, it } from "@effect/vitest"
import { hostProblem, resolveHost } from "../../../../src/services/providers/ollama/OllamaHost.ts"

describe("resolveHost", () => {
  it.each([
    [undefined, "http://127.0.0.1:11434"],
    ["  ", "http://127.0.0.1:11434"],
    ["0.0.0.0", "http://127.0.0.1:11434"],
    ["0.0.0.0:8080", "http://127.0.0.1:8080"],
    [":8080", "http://127.0.0.1:8080"],
    ["example.org", "http://example.org:11434"],
    ["example.org:1234/", "http://example.org:1234"],
    ["http://example.org", "http://example.org:80"],
    ["https://example.org", "https://example.org:443"],
    ["HTTPS://example.org:8443/", "https://example.org:8443"],
    ["http://0.0.0.0:11434", "http://127.0.0.1:11434"],
    ["https://example.org/ollama/", "https://example.org:443/ollama"],
    ["example.org/ollama", "http://example.org:11434/ollama"],
    ["[::1]", "http://[::1]:11434"],
    ["::1", "http://[::1]:11434"],
    ["[::]:8080", "http://[::1]:8080"],
    ["::", "http://[::1]:11434"],
    ["example.org:0x1", "http://example.org:11434"],
    ["example.org:70000", "http://example.org:11434"],
    ["https://example.org:none", "https://example.org:443"],
    [' "example.org:1234" ', "http://example.org:1234"],
    ["'example.org'", "http://example.org:11434"],
    ["me:secret@example.org", "http://me:secret@example.org:11434"],
    ["me@[::1]:80/ollama", "http://me@[::1]:80/ollama"]
  ])("reads %j as %s", (given, expected) => {
    assert.strictEqual(resolveHost(given), expected)
  })
})

describe("hostProblem", () => {
  it.each(["http://127.0.0.1:11434", "https://example.org:443/ollama", "http://[::1]:8080"])("accepts %s", (host) => {
    assert.strictEqual(hostProblem(host), undefined)
  })

  it.each([
    ["http://[:80", "http://[:80"],
    ["ftp://example.org:21", "ftp://example.org:21"],
    ["http://me:secret@example.org:80", "http://...@example.org:80"],
    ["http://me:80/secret@example.org:80", "http://...@example.org:80"],
    ["http://[me:secret@example.org]:80", "http://...@example.org]:80"]
  ])("refuses %s without showing a password", (host, shown) => {
    assert.strictEqual(
      hostProblem(host),
      `${shown} is not the address of a model server. Write it as HOST:PORT or http://HOST:PORT; a key goes into OLLAMA_API_KEY.`
    )
  })
})
