import { assert, describe, it } from "@effect/vitest"
import { makeEventHistory } from "../../src/library/EventHistory.ts"

const readAll = async <A>(events: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const read: Array<A> = []
  for await (const event of events) read.push(event)
  return read
}

describe("EventHistory", () => {
  it("gives every reader all events, early or late", async () => {
    const history = makeEventHistory((event: number) => event)
    const early = readAll(history.events)
    history.push(1)
    history.push(2)
    history.end()
    assert.deepStrictEqual(await early, [1, 2])
    assert.deepStrictEqual(await readAll(history.events), [1, 2])
  })

  it("passes what is of use only now to readers that wait, and keeps it for nobody", async () => {
    const history = makeEventHistory((event: number) => event)
    history.pass(0)
    const early = readAll(history.events)
    history.push(1)
    await Promise.resolve()
    for (const event of [2, 3]) {
      await new Promise((resolve) => setImmediate(resolve))
      history.pass(event)
    }
    await new Promise((resolve) => setImmediate(resolve))
    history.push(4)
    history.end()
    assert.deepStrictEqual(await early, [1, 2, 3, 4])
    assert.deepStrictEqual(await readAll(history.events), [1, 4])
  })

  it("makes nothing of events that nobody reads, and of each once for a reader", async () => {
    let made = 0
    const history = makeEventHistory((event: number) => {
      made += 1
      return -event
    })
    for (let index = 0; index < 10_000; index++) history.push(index)
    history.end()
    assert.strictEqual(made, 0)
    const read = await readAll(history.events)
    assert.deepStrictEqual([made, read.length, read[7]], [10_000, 10_000, -7])
  })

  it("ends readers with the error of the run, after the events", async () => {
    const history = makeEventHistory((event: number) => event)
    history.push(1)
    history.end(new Error("no such project"))
    const seen: Array<number> = []
    let thrown = ""
    try {
      for await (const event of history.events) seen.push(event)
    } catch (error) {
      thrown = String(error)
    }
    assert.deepStrictEqual([seen, thrown], [[1], "Error: no such project"])
  })

  it("lets a reader leave early", async () => {
    const history = makeEventHistory((event: number) => event)
    history.push(1)
    for await (const event of history.events) {
      assert.strictEqual(event, 1)
      break
    }
  })
})
