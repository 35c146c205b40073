import { describe, expect, it } from "@effect/vitest"
import { isAddress, isGlobalUnicast, unfetchable } from "../../../src/domain/commands/NetworkAddress.ts"
import { canonicalUrl } from "../../../src/domain/tools/Access.ts"
import * as Result from "effect/Result"

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)

const open = words(`
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.0.1.0
  198.17.255.255 198.20.0.0 223.255.255.255 2606:4700::1111 2001:200::1 2a00::1 ::ffff:8.8.8.8 64:ff9b::808:808
`)

const closed = words(`
  0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16 169.254.169.254 172.16.0.1
  172.31.255.255 192.0.0.192 192.168.1.1 198.18.0.1 203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1
  ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe 64:ff9b::7f00:1 64:ff9b:1::808:808 2001::1 2001:db8::1 2002:7f00:1::
  2002:808:808:: 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1 ff02::1
`)

/** The addresses beside the blocks that are closed. */
const neighbours = words(`
  1.0.0.0 126.255.255.255 128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 191.255.255.255
  192.0.1.255 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.51.99.255 198.51.101.0
  203.0.112.255 203.0.114.0 ::ffff:b00:0 64:ff9b::9ff:ffff 2000:: 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2003:: 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  3fff:1000::
`)

/** The first and last addresses of the blocks. */
const edges = words(`
  0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 169.254.0.0 169.254.255.255
  172.16.0.0 192.0.0.0 192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255 192.168.0.0 192.168.255.255
  198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255 224.0.0.0 ::ffff:a00:0
  64:ff9b::aff:ffff 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff
  2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2002:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff::
  3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff 4000:: ::fffe:808:808 64:ff9b::1:808:808
`)

describe("isGlobalUnicast", () => {
  it("lets addresses of the internet pass, and the neighbours of every block that is closed", () => {
    expect([...open, ...neighbours].filter((address) => !isGlobalUnicast(address))).toEqual([])
  })

  it("refuses this machine, local networks, metadata and what is reserved, to the edges, in every spelling", () => {
    expect([...closed, ...edges].filter(isGlobalUnicast)).toEqual([])
  })

  it("refuses what is no address", () => {
    expect(["", "localhost", "8.8.8", "010.8.8.8", "fe80::1%eth0", "8.8.8.8 "].filter(isGlobalUnicast)).toEqual([])
    expect(["127.0.0.1", "::1", "localhost", "a.example"].map(isAddress)).toEqual([true, true, false, false])
  })
})

const exceptions = { allowed: ["127.0.0.1:8080", "localhost:3000"], denied: ["models.example:11434"] }
const whyNot = (text: string) => unfetchable(Result.getOrThrow(canonicalUrl(text)), exceptions)

const never = words(`
  http://127.0.0.1/ http://127.0.0.1:8081/ https://127.1/ http://2130706433/ http://0x7f.1/ http://0177.0.0.1/
  http://[::1]/ http://[::ffff:127.0.0.1]/ http://0.0.0.0:8000/ http://10.1.2.3/ http://172.16.0.1/ http://192.168.1.1/
  http://169.254.169.254/latest/meta-data/ http://[fe80::1]/ http://[fd00::1]/ http://100.64.0.1/ http://localhost/
  http://LOCALHOST:8080/ http://localhost./ http://app.localhost/ http://models.example:11434/api/tags
`)
const askable = words(`
  https://example.com/ http://1.1.1.1/ http://[2606:4700:4700::1111]/ http://127.0.0.1:8080/ http://localhost:3000/a
  https://notlocalhost/ https://localhost.example.com/ http://models.example/
`)

it.each(never)("a URL is refused without a question when no answer could allow it: %s", (url) => {
  expect(whyNot(url)).toMatch(
    /^is (not on the public internet|an address of the model server), which no answer can allow; to permit it, list \S+ under fetchAllow in your user configuration$/
  )
})

it("a URL is not refused without a question when a person may allow it", () =>
  expect(askable.filter((url) => whyNot(url) !== undefined)).toEqual([]))
