import { testRuleExamples } from "../../../support/testRuleExamples.ts"

testRuleExamples("others")
