import assert from "node:assert/strict"
import { test } from "node:test"
import { discounted } from "../src/price.js"

test("takes 10 percent off", () => assert.equal(discounted(1000, 10), 900))
test("takes nothing off", () => assert.equal(discounted(1000, 0), 1000))
