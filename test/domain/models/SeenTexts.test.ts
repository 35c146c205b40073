/**
 * URLs that were made from what was read carry it, whatever spelling it has in them; ordinary pages, links and the words of the
 * person do not.
 */
import { assert, describe, it } from "@effect/vitest"
import { SeenTexts } from "../../../src/domain/models/SeenTexts.ts"

const read = [
  "3: codename: bluefin\n4: owner: Plum Harbor\n5: ticket = 48213\n6: url: https://docs.example/guides/plum-harbor?id=48213",
  "export DEPLOY_WORD=marigold\nPASSWORD=hunter2\n",
  "k7Qx2mZp91\n",
  "src/keys.ts:12: const key = 'sk-live-4f9aQ2'\nsrc/host.ts:3: connect(\"10.20.30.41\")",
  "The launch of the second turbine moves to the harbour in spring.\nAsk jane.doe@corp.example about it.",
  'import React, { useEffect } from "react"\nconst c = new AbortController()\nimage: postgres\n"model": "tiny"',
  'serde = { version = "1.0" }\nuse serde::Deserialize\nqwen3 is a model, and RFC 9110 is a text. See lodash.debounce and asyncio.'
]

const seenTexts = () => {
  const seen = new SeenTexts()
  seen.addUserText("Look up the retry of fetch-client 77120, see https://docs.example/said?t=q31")
  for (const text of read) seen.add(text)
  return seen
}

const base64 = (text: string) => Buffer.from(text).toString("base64")
const hex = (text: string) => Buffer.from(text).toString("hex")
const backwards = (text: string) => [...text].toReversed().join("")

const carrying: Readonly<Record<string, string>> = {
  "a value in a query": "?q=bluefin",
  "the name of a parameter": "?bluefin=1",
  "a query without a name": "?/bluefin",
  "a number": "?id=48213",
  "a number in a path": "issues/48213",
  "a value of two words in a path": "plum-harbor",
  "a value of two words in a query": "?q=PlumHarbor+plum_harbor",
  "what an environment file sets, in a path": "marigold.html",
  "a password with one digit in a path": "hunter2",
  "a token in another letter case": "K7QX2MZP91",
  "a part of a token": "?p=Qx2mZp9",
  "a token in several parameters": "?a=k7Q&b=x2m&c=Zp91",
  "a token in several folders": "k7Q/x2m/Zp91",
  "a token letter by letter": "k/7/Q/x/2/m/Z/p/9/1",
  "percent escapes": "?q=%62%6c%75%65%66%69%6e",
  "percent escapes of percent escapes": "?q=%2562%256c%2575%2565%2566%2569%256e",
  base64: `?q=${encodeURIComponent(base64("bluefin"))}`,
  "base64 in a path": base64("marigold"),
  "base64 twice": `?q=${encodeURIComponent(base64(base64("codename: bluefin")))}`,
  "base64 of a whole line": `?q=${encodeURIComponent(base64("The launch of the second turbine"))}`,
  "the form of base64 for URLs": `?q=${Buffer.from("codename: bluefin?>").toString("base64url")}`,
  hex: `?q=${hex("bluefin")}`,
  "reversed letters": `?q=${backwards("bluefin")}`,
  "a token with reversed letters": backwards("k7Qx2mZp91"),
  "base64 of reversed letters": `?q=${encodeURIComponent(base64(backwards("bluefin")))}`,
  "words of a line": "?q=turbine+moves+to+the+harbour",
  "words of a line in a path": "second-turbine-moves-to-the-harbour",
  "an address of mail": "?m=jane.doe@corp.example",
  "an address of the network": "?h=10.20.30.41",
  "a link with another end": "said?t=k7Qx2mZp91&more=1"
}

describe("a URL carries what was read", () => {
  const seen = seenTexts()
  for (const [what, end] of Object.entries(carrying)) {
    it(`as ${what}`, () => assert.isDefined(seen.carriedBy(new URL(end, "https://docs.example/").href), end))
  }

  it("as a part of the host", () => assert.isDefined(seen.carriedBy("https://k7qx2mzp91.docs.example/")))

  it("also when much was read since", () => {
    const much = seenTexts()
    for (let at = 0; at < 500; at += 1) much.add(`line ${at} of many\n`.repeat(40))
    assert.isDefined(much.carriedBy("https://docs.example/?q=bluefin"))
  })
})

const ordinary = `https://react.dev/reference/react/useEffect
https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Global_Objects/Promise/allSettled
https://docs.python.org/3/library/asyncio-task.html
https://docs.rs/serde/latest/serde/trait.Deserialize.html
https://registry.npmjs.org/react/latest
https://github.com/Effect-TS/effect/blob/main/packages/effect/README.md
https://www.rfc-editor.org/rfc/rfc9110.html
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/
https://stackoverflow.com/questions/11227809/why-is-processing-a-sorted-array-faster-than-processing-an-unsorted-array
https://www.npmjs.com/search?q=markdown+parser
https://docs.example/search?q=fetch-client+77120
https://docs.example/said?t=q31`.split("\n")

describe("a URL carries nothing of what was read", () => {
  const seen = seenTexts()
  for (const url of ordinary) it(`when it is ${url}`, () => assert.isUndefined(seen.carriedBy(url)))

  it("when a path holds names that were quoted or set", () => {
    const names = seenTexts()
    names.add('headers.set("Content-Type", type)\nimport mysql from "mysql2"\ncreateHash("sha256")\nlib: base64')
    const paths = ["Headers/Content-Type", "package/mysql2", "sha256", "base64/latest", "reference/Headers"]
    for (const path of paths) assert.isUndefined(names.carriedBy(`https://docs.example/${path}`), path)
    /* The same words are none of a query. */
    for (const word of ["Content-Type", "mysql2", "sha256", "base64", "headers"]) {
      assert.isDefined(names.carriedBy(`https://docs.example/?q=${word}`), word)
    }
  })

  it("when it stands in a text that gives links", () => {
    const url = "https://docs.example/guides/plum-harbor?id=48213"
    assert.isDefined(seen.carriedBy(url))
    const linked = seenTexts()
    linked.addLinks(`See <${url}#top>.`)
    assert.isUndefined(linked.carriedBy(url))
    assert.isDefined(linked.carriedBy(`${url}1`.replace("482131", "48213&x")))
  })

  it("when nothing was read", () => assert.isUndefined(new SeenTexts().carriedBy("https://docs.example/?q=hunter2")))
})

it.each([
  ["three words of a line", "second/turbine/moves", false],
  ["four words of a line", "second/turbine/moves/to", true],
  ["four short words of a line", "put/it/on/an", false],
  ["four numbers of a line", "12/34/56/78", true],
  ["three numbers of a line", "12/34/56", false],
  ["four words of a line that the user has said", "look/up/the/retry", false],
  ["four words of a line in another order", "turbine/second/moves/to", false],
  ["a word of four letters in a query", "?q=kiwi", true],
  ["a word of three letters in a query", "?q=fig", false],
  ["a code of five letters and digits in a path", "q7x9z", true],
  ["a code of four letters and digits in a path", "q7x9", false],
  ["a number of four digits in a path", "4821", true],
  ["a number of three digits in a path", "482", false],
  ["a format of six letters and digits in a path", "abcde1", false],
  ["a token of seven letters and digits within a longer word of a path", "xxm4n8p2wyy", true],
  ["a token of six letters and digits within a longer word of a path", "xxm4n8p2yy", false]
])("a URL carries or does not carry %s", (_, end, carries) => {
  const seen = seenTexts()
  seen.add("put it on an old map here\n12 34 56 78 90\nlook up the retry of everything")
  seen.add("kiwi fig q7x9z q7x9 4821 482 abcde1\nfirst = m4n8p2w\n")
  assert.strictEqual(seen.carriedBy(`https://docs.example/${end}`) !== undefined, carries)
})
