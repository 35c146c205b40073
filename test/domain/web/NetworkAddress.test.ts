import { describe, expect, it } from "@effect/vitest"
import { isAddress, isGlobalUnicast } from "../../../src/domain/web/NetworkAddress.ts"

const open = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "2001:200::1",
  "2a00::1",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808"
]

const closed = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.168.1.1",
  "198.18.0.1",
  "203.0.113.9",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:a9fe:a9fe",
  "64:ff9b::7f00:1",
  "64:ff9b:1::808:808",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "ff02::1"
]

describe("isGlobalUnicast", () => {
  it("lets addresses of the internet pass", () => {
    expect(open.filter((address) => !isGlobalUnicast(address))).toEqual([])
  })

  it("refuses this machine, local networks, metadata and what is reserved, in every spelling", () => {
    expect(closed.filter(isGlobalUnicast)).toEqual([])
  })

  it("refuses what is no address", () => {
    expect(["", "localhost", "8.8.8", "010.8.8.8", "fe80::1%eth0", "8.8.8.8 "].filter(isGlobalUnicast)).toEqual([])
  })
})

describe("isAddress", () => {
  it("tells addresses from names", () => {
    expect(["127.0.0.1", "::1", "localhost", "a.example"].map(isAddress)).toEqual([true, true, false, false])
  })
})
