import { describe, expect, it } from "@effect/vitest"
import { htmlText } from "../../src/domain/HtmlText.ts"

describe("htmlText", () => {
  it("keeps what a reader sees, one line per block", () => {
    expect(
      htmlText(`<!doctype html><html><head><title>T</title><style>p { color: red }</style></head><body>
        <h1>Tea &amp; more</h1><script>if (a < b) alert("<p>")</script>
        <p>First   <b>bold</b>
           line</p><p>Second<br>third</p>
        <ul><li>one</li><li>two</li></ul><!-- <p>not</p> -->
        <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></body></html>`)
    ).toBe("# Tea & more\n\nFirst bold line\n\nSecond\nthird\n\n- one\n\n- two\n\na\tb\n\n1\t2")
  })

  it("keeps the blanks of preformatted text", () => {
    expect(htmlText("<p>Run</p><pre>if x:\n    y()\n</pre> <p>end</p>")).toBe("Run\n\nif x:\n    y()\n\nend")
  })

  it("decodes entities once", () => {
    expect(htmlText("&lt;p&gt; &amp;lt; &#8364; &#x20AC; &eacute;&nbsp;&unknown; &#0; &#xD800; a & b")).toBe(
      "<p> &lt; € € é\u00A0&unknown; \uFFFD \uFFFD a & b"
    )
  })

  it("takes what is no tag for text, and quoted signs for parts of a tag", () => {
    expect(htmlText('1 < 2 <a title="a > b">link</a> <')).toBe("1 < 2 link <")
  })

  it("ends with the page when a script or comment is left open", () => {
    expect(htmlText("text<script>var x")).toBe("text")
    expect(htmlText("text<!-- open")).toBe("text")
  })

  it("takes time linear to the page", () => {
    const hostile = ['<a">"', "<script>", "<!--", "<a '", "&#", " ", "<pre> \t", "</script", "<a"]
    for (const unit of hostile) {
      const started = performance.now()
      htmlText(unit.repeat(200_000))
      expect(performance.now() - started).toBeLessThan(3000)
    }
  })
})
