import { describe, expect, it } from "vitest"
import { markdownHtml, reportLink } from "../../../src/plugins/report/MarkdownHtml.ts"

const world = { project: "/home/ann/my project#1", tasks: new Set(["search-1", "read-2"]) }
const folder = "file:///home/ann/my%20project%231"

describe("a link on the page of a report", () => {
  it.each<[string, string]>([
    ["notes.md", `${folder}/notes.md`],
    ["src/a.ts#L3", `${folder}/src/a.ts#L3`],
    ["with blank.md", `${folder}/with%20blank.md`],
    ["what?.md", `${folder}/what%3F.md`],
    ["src/../notes.md", `${folder}/notes.md`],
    ["/home/ann/my project%231/a.md", `${folder}/a.md`],
    ["https://example.com/a?b=1&c=2#d", "https://example.com/a?b=1&c=2#d"],
    ["HTTP://EXAMPLE.com", "http://example.com/"],
    ["#search-1-results", "#task-search-1"],
    ["#Search 1", "#task-search-1"]
  ])("%j leads to %s", (href, target) => expect(reportLink(href, world)).toBe(target))

  it("leads nowhere else", () => {
    const elsewhere = `/etc/hosts ../other/b.md %2e%2e/other/b.md %2E%2e/%2e./b.md src/%2e%2e/%2e%2e/b.md ..%2fother/b.md src/..%2F..%2fb.md
      ..\\other\\b.md ..%5cother #nothing javascript:alert(1) JaVaScRiPt:alert(1) data:text/html,x vbscript:x
      file:///etc/passwd //host/share \\\\host\\share /\\host/share https://user:secret@example.com/ https:// mailto:a@b.c`
    const more = [
      "",
      " javascript:alert(1)",
      "java\nscript:alert(1)",
      "/home/ann/my project#1/a.md",
      "../my project#1x/b.md"
    ]
    const led = elsewhere
      .split(/\s+/)
      .concat(more)
      .filter((href) => reportLink(href, world) !== undefined)
    expect(led).toEqual([])
  })

  it("is one of a project on a drive", () => {
    expect(reportLink("a.md", { ...world, project: "C:\\Users\\ann\\p" })).toBe("file:///C:/Users/ann/p/a.md")
  })
})

describe("markdown on the page", () => {
  it.each([
    ["# A", "<h3>A</h3>"],
    ["a *b* **c** ~~d~~ `e`", "<p>a <em>b</em> <strong>c</strong> <del>d</del> <code>e</code></p>"],
    ["- a\n- b", "<ul><li>a</li><li>b</li></ul>"],
    ["3. a", '<ol start="3"><li>a</li></ol>'],
    ["- [x] a", "<ul><li>☑ a</li></ul>"],
    ["> a", "<blockquote><p>a</p></blockquote>"],
    ["```js\na < b\n```", '<pre tabindex="0"><code>a &lt; b</code></pre>'],
    ["<b onclick=x>a</b>", "<p>&lt;b onclick=x&gt;a&lt;/b&gt;</p>"],
    ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["[a](javascript:x)", '<p>a <span class="dim">(javascript:x)</span></p>'],
    ["![a](https://x.yz/a.png)", '<p><a href="https://x.yz/a.png" rel="noopener noreferrer">a</a></p>'],
    ['[a"b](<a"b.md>)', '<p><a href="file:///home/ann/my%20project%231/a%22b.md">a&quot;b</a></p>'],
    ["a\u202eb\u0007", "<p>a\\u{202e}b\\u{7}</p>"]
  ])("%j", (text, source) => expect(markdownHtml(text, world).source.replace(/\n\s*/g, "")).toBe(source))

  it("stays as it is when it is too intricate to be read", () => {
    expect(markdownHtml(`${"[".repeat(80)}<`, world).source).toBe(
      `<pre tabindex="0"><code>${"[".repeat(80)}&lt;</code></pre>`
    )
  })
})
