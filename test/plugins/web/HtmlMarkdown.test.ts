import { describe, expect, it } from "@effect/vitest"
import { htmlMarkdown } from "../../../src/plugins/web/HtmlMarkdown.ts"

const url = "https://docs.example/guide/install.html"
const textOf = (html: string) => htmlMarkdown(html, url).text

describe("htmlMarkdown", () => {
  it("keeps headings, paragraphs, lists, code and tables", () => {
    const html = `<!doctype html><html><head><title>T</title><style>p { color: red }</style></head><body>
      <h1>Tea &amp; more</h1><script>if (a < b) alert("<p>")</script>
      <p>First   <b>bold</b>
         line with <code>--flag</code></p><p>Second<br>third</p>
      <ul><li>one<li>two <em>too</em></ul><ol><li>a</li></ol>
      <pre><code class="language-ts">if (x) {
    y()
}</code></pre><blockquote>said</blockquote>
      <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table></body></html>`
    expect(htmlMarkdown(html, url)).toEqual({
      title: "T",
      text: [
        "# Tea & more",
        "First **bold** line with `--flag`",
        "Second\\\nthird",
        "- one\n- two _too_",
        "1. a",
        "```ts\nif (x) {\n    y()\n}\n```",
        "> said",
        "| a | b    |\n| - | ---- |\n| 1 | 2\\|3 |"
      ].join("\n\n")
    })
  })

  it("makes links absolute, and plain text of those that lead nowhere else", () => {
    const html = '<p><a href="../api#x">a</a> <a href="//other.example/b">b</a> <a href="#top">top</a>'
    expect(textOf(`${html} <a href="javascript:steal()">c</a> <a>d</a> <a href="mailto:me@x.example">e</a>`)).toBe(
      "[a](https://docs.example/api#x) [b](https://other.example/b) top c d [e](mailto:me@x.example)"
    )
    expect(textOf('<base href="/v2/"><p><a href="a">a</a>')).toBe("[a](https://docs.example/v2/a)")
  })

  it("takes the main content, without what is around it", () => {
    const around = '<header role="banner">Site</header><nav>Menu</nav><aside>Ad</aside><footer>Legal</footer>'
    expect(textOf(`${around}<p>Loose</p><main><p>Main</p><nav>More</nav></main>`)).toBe("Main")
    expect(textOf(`${around}<p>Loose</p><article><p>Only</p></article>`)).toBe("Only")
    expect(textOf(`${around}<article>A</article><article>B</article>`)).toBe("A\n\nB")
    expect(textOf(`${around}<main></main><p>Loose</p>`)).toBe("Loose")
  })

  it("drops controls, pictures and what is hidden, and keeps the words of a picture", () => {
    expect(textOf('<form><p>Text</p><label>Name</label><input value="x"><button>Send</button></form>')).toBe("Text")
    expect(textOf('<p>a<span hidden>b</span><i aria-hidden="true">c</i><svg><title>no</title></svg></p>')).toBe("a")
    expect(textOf('<p>See <img src="x.png" alt="a cup"></p>')).toBe("See a cup")
  })

  it("puts the title above content that has no heading of its own", () => {
    expect(htmlMarkdown("<title> The\n title </title><h2>Part</h2>", url)).toEqual({
      title: "The title",
      text: "# The title\n\n## Part"
    })
    expect(htmlMarkdown("<p>text", url)).toEqual({ text: "text" })
    expect(htmlMarkdown("", url)).toEqual({ text: "" })
  })

  it("escapes what is no markup, but no underscore within a name", () => {
    expect(textOf("<p>max_old_space * 2 * 3 # x")).toBe("max_old_space \\* 2 \\* 3 # x")
    expect(textOf("<p># no heading")).toBe("\\# no heading")
    expect(textOf("<p>## Tool Calls")).toBe("\\## Tool Calls")
  })

  it("makes no cells that nobody filled", () => {
    const html = "<table><tr><td colspan=100000 rowspan=100000>x<td>z<tr><td>y</table>"
    expect(textOf(html).length).toBeLessThan(100)
  })
})
