import { testWrittenScripts } from "../../support/WrittenScripts.ts"

testWrittenScripts("others")
