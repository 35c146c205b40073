import { expect, it } from "@effect/vitest"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import { type Grantable, Grants } from "../../../src/services/permissions/Grants.ts"

const fetching = (url: string, hash: string): Grantable => ({
  hash,
  tool: "fetch_page",
  risk: "medium",
  arguments: { url },
  accesses: [{ _tag: "FetchUrl", url }]
})

const writing = (path: string, content: string, hash: string): Grantable => {
  const access: CanonicalAccess = { _tag: "WriteFile", path, inside: true, content }
  return { hash, tool: "write_file", risk: "high", arguments: { path, content }, accesses: [access] }
}

const sending = (to: string): Grantable => ({ hash: to, tool: "send", risk: "medium", arguments: { to }, accesses: [] })

type Asked = Parameters<Grants["addExcluded"]>[0]

it("covers for the session every page of a server that was allowed, and no page of another", () => {
  const grants = new Grants()
  grants.addSession(fetching("https://one.example/a", "a"))
  expect(grants.isGranted(fetching("https://one.example/b", "b"))).toBe(true)
  expect(grants.isGranted(fetching("https://two.example/a", "c"))).toBe(false)
  expect(grants.session()).toEqual(["fetch_page for https://one.example"])
})

it("needs a grant for everything that a call accesses", () => {
  const grants = new Grants()
  const [one, two] = [fetching("https://one.example/", "1"), fetching("https://two.example/", "2")]
  const both: Grantable = { ...one, hash: "3", accesses: [...one.accesses, ...two.accesses] }
  grants.addSession(one)
  expect(grants.isGranted(both)).toBe(false)
  grants.addSession(two)
  expect(grants.isGranted(both)).toBe(true)
})

it("does not allow for the session what is asked about each time", () => {
  const grants = new Grants()
  const hook = writing("/project/.husky/pre-commit", "exit 0\n", "a")
  grants.addSession(hook)
  expect([grants.isGranted(hook), grants.session()]).toEqual([false, []])
  grants.addHashes(["a"])
  expect(grants.isGranted(hook)).toBe(true)
})

const ofTask = (hash: string): Asked => Object.assign(sending(hash), { task: "Send 1" })

it("takes a call that was excluded back when it is approved later", () => {
  const grants = new Grants()
  const [a, b] = [ofTask("a"), ofTask("b")]
  for (const one of [a, b]) grants.addExcluded(one)
  grants.addHashes(["a"])
  expect([a, b].map((one) => [grants.isExcluded(one), grants.isApproved(one)])).toEqual([
    [false, true],
    [true, false]
  ])
})

it("counts denials by their targets whatever the content, and by their arguments when there are none", () => {
  const grants = new Grants()
  expect(grants.countDenial(writing("/project/a.txt", "one", "1"))).toBe(1)
  expect(grants.countDenial(writing("/project/a.txt", "two", "2"))).toBe(2)
  expect(grants.countDenial(writing("/project/b.txt", "one", "3"))).toBe(1)
  expect(grants.denials(writing("/project/a.txt", "three", "4"))).toBe(2)
  expect([grants.countDenial(sending("Ann")), grants.denials(sending("Bob"))]).toEqual([1, 0])
})

it("adds the answers of another process to its own and counts no denial twice", () => {
  const other = new Grants()
  other.addHashes(["a"])
  other.addExcluded({ ...sending("b"), task: "Send 1" })
  other.addSession(fetching("https://one.example/", "f"))
  other.addPlan("plan-1", "person")
  const denied = writing("/project/a.txt", "one", "1")
  other.countDenial(denied)
  const grants = new Grants()
  grants.addHashes(["c"])
  grants.countDenial(denied)
  grants.countDenial(denied)
  grants.restore(other.snapshot())
  expect(grants.snapshot()).toEqual({
    ...other.snapshot(),
    approved: ["c", "a"],
    denied: { [Object.keys(other.snapshot().denied)[0]!]: 2 }
  })
  expect(grants.planApprovedBy("plan-1")).toBe("person")
  expect(grants.isGranted(fetching("https://one.example/b", "g"))).toBe(true)
})

const defined = (definition: string): Grantable => ({ ...sending("a"), pin: { origin: "mcp/mail", definition } })

it("ends an answer for the session when the definition of the tool changes", () => {
  const grants = new Grants()
  grants.addSession(defined("one"))
  expect(["one", "two"].map((definition) => grants.isGranted(defined(definition)))).toEqual([true, false])
})
