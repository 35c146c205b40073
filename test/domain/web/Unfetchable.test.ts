import { describe, expect, it } from "@effect/vitest"
import { canonicalUrl } from "../../../src/domain/tools/Access.ts"
import { unfetchable } from "../../../src/domain/web/NetworkAddress.ts"
import * as Result from "effect/Result"

const exceptions = { allowed: ["127.0.0.1:8080", "localhost:3000"], denied: ["models.example:11434"] }
const whyNot = (text: string) => unfetchable(Result.getOrThrow(canonicalUrl(text)), exceptions)

const never = [
  "http://127.0.0.1/",
  "http://127.0.0.1:8081/",
  "https://127.0.0.1:8080@127.1/".replace("127.0.0.1:8080@", ""),
  "http://2130706433/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://0.0.0.0:8000/",
  "http://10.1.2.3/",
  "http://172.16.0.1/",
  "http://192.168.1.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fe80::1]/",
  "http://[fd00::1]/",
  "http://100.64.0.1/",
  "http://localhost/",
  "http://LOCALHOST:8080/",
  "http://localhost./",
  "http://app.localhost/",
  "http://models.example:11434/api/tags"
]

describe("a URL is refused without a question", () => {
  it.each(never)("when no answer could allow it: %s", (url) => {
    expect(whyNot(url)).toMatch(
      /^is (not on the public internet|an address of the model server), which no answer can allow; to permit it, list \S+ under fetchAllow in your user configuration$/
    )
  })

  it.each([
    "https://example.com/",
    "http://1.1.1.1/",
    "http://[2606:4700:4700::1111]/",
    "http://127.0.0.1:8080/",
    "http://localhost:3000/a",
    "https://notlocalhost/",
    "https://localhost.example.com/",
    "http://models.example/"
  ])("not when a person may allow it: %s", (url) => expect(whyNot(url)).toBeUndefined())
})
