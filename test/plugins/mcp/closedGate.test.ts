import { testClosedGate } from "../../support/ClosedGate.ts"

testClosedGate("main")
