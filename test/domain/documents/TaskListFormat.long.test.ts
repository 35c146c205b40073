import { testTaskListProperties } from "../../support/taskListProperties.ts"

testTaskListProperties(500)
