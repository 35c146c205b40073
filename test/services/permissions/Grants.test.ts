import { expect, it } from "@effect/vitest"
import type { CanonicalAccess } from "../../../src/domain/tools/Access.ts"
import { Grants } from "../../../src/services/permissions/RunAnswers.ts"

type Grantable = Parameters<Grants["answerTo"]>[0]

const fetching = (url: string, hash: string): Grantable => ({
  hash,
  task: "Send 1",
  tool: "fetch_page",
  risk: "medium",
  arguments: { url },
  accesses: [{ _tag: "FetchUrl", url }]
})

const writing = (path: string, content: string, hash: string): Grantable => {
  const access: CanonicalAccess = { _tag: "WriteFile", path, inside: true, content }
  return { hash, task: "Send 1", tool: "write_file", risk: "high", arguments: { path, content }, accesses: [access] }
}

const sending = (to: string): Grantable => ({
  hash: to,
  task: "Send 1",
  tool: "send",
  risk: "medium",
  arguments: { to },
  accesses: []
})

const isGranted = (grants: Grants, asked: Grantable): boolean =>
  ["session", "step"].includes(grants.answerTo(asked) ?? "")

it("needs a grant for everything that a call accesses", () => {
  const grants = new Grants()
  const [one, two] = [fetching("https://one.example/", "1"), fetching("https://two.example/", "2")]
  const both: Grantable = { ...one, hash: "3", accesses: [...one.accesses, ...two.accesses] }
  grants.addSession(one)
  expect(isGranted(grants, both)).toBe(false)
  grants.addSession(two)
  expect(isGranted(grants, both)).toBe(true)
  expect(grants.session()).toEqual(["fetch_page for https://one.example", "fetch_page for https://two.example"])
})

it("takes a call that was excluded back when it is approved later", () => {
  const grants = new Grants()
  const [a, b] = [sending("a"), sending("b")]
  for (const one of [a, b]) grants.addExcluded(one)
  grants.addApproved(["a"])
  expect([a, b].map((one) => grants.answerTo(one))).toEqual(["step", "excluded"])
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
  other.addApproved(["a"])
  other.addExcluded(sending("b"))
  other.addSession(fetching("https://one.example/", "f"))
  other.plans.set("plan-1", "person")
  const denied = writing("/project/a.txt", "one", "1")
  other.countDenial(denied)
  const grants = new Grants()
  grants.addApproved(["c"])
  grants.countDenial(denied)
  grants.countDenial(denied)
  grants.restore(other.snapshot())
  expect(grants.snapshot()).toEqual({
    ...other.snapshot(),
    approved: ["c", "a"],
    denied: { [Object.keys(other.snapshot().denied)[0]!]: 2 }
  })
  expect(grants.plans.get("plan-1")).toBe("person")
  expect(isGranted(grants, fetching("https://one.example/b", "g"))).toBe(true)
})

const defined = (definition: string): Grantable => ({ ...sending("a"), pin: { origin: "mcp/mail", definition } })

it("ends an answer for the session when the definition of the tool changes", () => {
  const grants = new Grants()
  grants.addSession(defined("one"))
  expect(["one", "two"].map((definition) => isGranted(grants, defined(definition)))).toEqual([true, false])
})
