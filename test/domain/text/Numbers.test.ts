import { assert, it } from "@effect/vitest"
import { otherNumber } from "../../../src/domain/text/Numbers.ts"

it.each([
  ["The retry limit is 3", "export const retryLimit = 5"],
  ["`maxRetries` defaults to 30", "maxRetries: 50,"],
  ["The timeout is 10 seconds", "const timeout = 30_000 // ms"],
  ["Requests are cut at 1,024 bytes", "const requestBytes = 4096"],
  ["The port of the server is **8080**", "server.listen({ port: 3000 })"]
])("numbers beside a link to a line contradict it: %s", (sentence, line) => {
  assert.isDefined(otherNumber(sentence, [line]))
})

it.each([
  ["The retry limit is 5", "export const retryLimit = 5"],
  ["The timeout is 30 seconds", "const timeout = 30_000"],
  ["The timeout is 5 minutes", "const timeout = 5 * 60 * 1000"],
  ["At most 4 retries are made: the limit is 4", "if (retries < 5) retry()"],
  ["The limit was raised from 3 to 5", "const limit = 5"],
  ["Retries are made in 3 places", "export const retryLimit = 5"],
  ["The limit is set here", "const limit = 5"],
  ["The colour is 7", "const limit = 5"],
  ["The ratio is 50 percent", "const ratio = 0.5"],
  ["The rate is 5 %", "const rate = 0.05"],
  ["The key is 256 bits", "const keyBytes = 32"],
  ["Python 3 is needed, the version is 3.11", "requires-python = 3.11"]
])("numbers beside a link to a line say nothing against it: %s", (sentence, line) => {
  assert.isUndefined(otherNumber(sentence, [line]))
})
