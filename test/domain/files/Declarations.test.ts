import { describe, expect, it } from "@effect/vitest"
import { declarationsAround, declarationsOf, declaredName } from "../../../src/domain/files/Declarations.ts"
import { languageOf } from "../../../src/domain/files/Language.ts"
import { cpuTime } from "../../support/cpuTime.ts"

/** Lines that declare a name, and lines that declare nothing, by the name of a file. */
const examples: Readonly<
  Record<string, readonly [declared: Readonly<Record<string, string>>, nothing: ReadonlyArray<string>]>
> = {
  "a.ts": [
    {
      "export const readLimit = () => {": "readLimit",
      "export abstract class Shop<A> extends Store {": "Shop",
      "  private async sell(count: number): Promise<void> {": "sell",
      "  constructor(private readonly shop: Shop) {": "constructor",
      "export type Cup = { size: number }": "Cup",
      "  const step = async (at: number) => at + 1": "step"
    },
    ["  const step = at + 1", "  if (count > 3) {", "  // function old() {", "  shop.sell((one) => {"]
  ],
  "a.js": [
    {
      "var parseKeys = function parseQueryStringKeys(givenKey) {": "parseKeys",
      "module.exports.merge = function (a, b) {": "merge",
      "Shop.prototype.sell = (count) => {": "sell",
      "  encode: function (str) {": "encode",
      "function* walk() {": "walk",
      "  *walk(tree) {": "walk"
    },
    ["  items.forEach(function (item) {", "  while (true) {", "  exports.count = 3", "  var count = 3"]
  ],
  "a.py": [
    {
      "    def validate(self, data: Any, **kwargs: Any) -> Any:": "validate",
      "async def main():": "main",
      "class Schema(object):": "Schema",
      "MAX_SIZE: int = 3": "MAX_SIZE"
    },
    ["    default = 3", "# def old():", "from a import validate", "if MAX_SIZE == 3:", "    return classify(x)"]
  ],
  "a.go": [
    {
      "func (f *FlagSet) parseLongArg(s string) (a []string, err error) {": "parseLongArg",
      "func main() {": "main",
      "type Value interface {": "Value",
      'var ErrHelp = errors.New("help")': "ErrHelp"
    },
    ["\tf.parseLongArg(s)", "\tx := func() {", 'import "fmt"', "var ("]
  ],
  "a.rs": [
    {
      "    pub(crate) fn grow(&self) -> usize {": "grow",
      "pub async unsafe fn run<T>(x: T)": "run",
      "impl<T: Debug> fmt::Display for Version<T> {": "Version",
      "const MAX: usize = 3;": "MAX",
      "macro_rules! check {": "check"
    },
    ["    let grow = 3;", "    self.grow();", "use crate::grow;", "    match op {", "#[derive(Debug)]"]
  ],
  "A.java": [
    {
      "public final class Slugs {": "Slugs",
      "    protected static Number stringToNumber(final String val) throws NumberFormatException {": "stringToNumber",
      "    public <T> Map<String, T> all(List<T> items) {": "all",
      "    int size();": "size",
      "    public Slugs(String text) {": "Slugs",
      "    private static final int MAX = 3;": "MAX"
    },
    ['        throw new JSONException("x");', "        int size = count(a);", "        sort(all, new Order() {"]
  ],
  "a.c": [
    {
      "static cJSON_bool parse_number(cJSON * const item, parse_buffer * const input_buffer)": "parse_number",
      "CJSON_PUBLIC(cJSON *) cJSON_Duplicate(const cJSON *item, cJSON_bool recurse)": "cJSON_Duplicate",
      "int main(void) {": "main",
      "struct buffer {": "buffer",
      "#define MAX_SIZE 3": "MAX_SIZE",
      "typedef int cJSON_bool;": "cJSON_bool"
    },
    ["static cJSON_bool parse_value(cJSON * const item);", "    if (item == NULL)"]
  ],
  "a.cpp": [
    {
      "void Shop::sell(int count) {": "Shop::sell",
      "  virtual int total() const override {": "total",
      "template <typename T> class Box {": "Box",
      "enum class Colour {": "Colour"
    },
    ["  for (auto& one : all) {", "  sell(3);", "  } else if (a) {", "  std::sort(a, b);", "using namespace std;"]
  ],
  "a.cs": [
    {
      "    public async Task<int> SellAsync(int count)": "SellAsync",
      "public sealed class Shop : Store": "Shop",
      "    public int Total { get; set; }": "Total",
      "    internal Shop(int count) {": "Shop"
    },
    ["        return Sell(count);", "        var total = Sell(1);", "        foreach (var one in all) {"]
  ],
  "a.rb": [
    {
      "  def self.make_slug(text)": "make_slug",
      "  private def valid?": "valid?",
      "class Slugs < Base": "Slugs",
      "module Tea": "Tea",
      "  MAX = 3": "MAX"
    },
    ["  make_slug(text)", "  if valid?", "  class << self", "# def old", "  text = MAX"]
  ],
  "a.php": [
    {
      "    public static function makeSlug(string $text): string": "makeSlug",
      "final class Slugs extends Base": "Slugs",
      "function &items() {": "items",
      "    const MAX = 3;": "MAX"
    },
    ["    $this->makeSlug($text);", "    return function () {", "    $f = function ($x) {", "use App\\Slugs;"]
  ],
  "a.kt": [
    {
      "    override suspend fun sell(count: Int): Int {": "sell",
      "data class Cup(val size: Int)": "Cup",
      "fun <T> List<T>.second(): T = this[1]": "second",
      "private const val MAX = 3": "MAX"
    },
    ["    val total = sell(1)", "    return sell(1)", "    when (x) {", "import tea.sell"]
  ],
  "a.swift": [
    {
      "    public static func sell(_ count: Int) -> Int {": "sell",
      "final class Shop: Store {": "Shop",
      "    convenience init(count: Int) {": "init",
      "    class func make() {": "make",
      "let limit = 3": "limit"
    },
    ["    let total = sell(1)", "    guard let x = y else {", "    return sell(1)", "import Foundation"]
  ],
  "a.sh": [
    { "build() {": "build", "function test_all {": "test_all", "export OUT=1": "OUT", "run-all ()": "run-all" },
    ['build "$1"', '  if [ -n "$x" ]; then', "# build() {", "echo $(build)"]
  ],
  "a.lua": [{ "local function walk(tree)": "walk" }, ["walk(tree)"]],
  "a.md": [{}, ["class of tea: function words"]],
  "a.json": [{}, ["class of tea: function words"]]
}

const cases = Object.entries(examples).flatMap(([file, [declared, nothing]]) => {
  const named = Object.entries(declared).map(([line, name]) => [file, line, name] as const)
  return [named, nothing.map((line) => [file, line, undefined] as const)].flat()
})

it.each(cases)("the name that a line declares %s: %s", (file, line, name) => {
  expect(declaredName(line, languageOf(file))).toBe(name)
})

it("the name that a line declares is found in time linear to the line", () => {
  const time = cpuTime(() => {
    for (const file of Object.keys(examples)) {
      for (const part of ["a ", "a, ", "(", "a<", "public ", "a::", "  ", "*"]) {
        declaredName(`  ${part.repeat(50_000)}`, languageOf(file))
        declaredName(part.repeat(50_000), languageOf(file))
      }
    }
  })
  expect(time).toBeLessThan(3000)
})

const around = (file: string, lines: ReadonlyArray<string>, word: string): string =>
  declarationsAround(
    lines,
    declarationsOf(lines, languageOf(file)),
    lines.findIndex((line) => line.includes(word))
  )
    .map(({ name }) => name)
    .join(".")

describe("the declarations around a line", () => {
  const python = [
    "class Schema:",
    "    def reset(self):",
    "        self.x = 1",
    "",
    "    def validate(",
    "        self,",
    "    ) -> None:",
    "        if self.x:",
    "            raise Wrong()",
    "    limit = 3",
    "",
    "print(Schema)"
  ]
  it.each([
    ["raise Wrong", "Schema.validate"],
    ["self.x = 1", "Schema.reset"],
    ["def validate", "Schema.validate"],
    ["limit = 3", "Schema"],
    ["print", ""]
  ])("are told by indentation: %s", (word, names) => {
    expect(around("a.py", python, word)).toBe(names)
  })

  it("go on behind conditions of a preprocessor, labels and braces at the margin", () => {
    const lines = "int load()\n{\n    int a;\n#ifdef X\n    b();\n#endif\nend:\n    return 1;\n}\nint c;".split("\n")
    expect(around("a.c", lines, "return 1")).toBe("load")
    expect(around("a.c", lines, "int c;")).toBe("")
  })

  it("begin with the first line of a file, and go on below one sign of indentation", () => {
    const lines = ["func load() {", "\tread()", "\tif a {", "\t\tb()", "\t}", "}"]
    expect(around("a.go", lines, "read()")).toBe("load")
    expect(around("a.go", lines, "b()")).toBe("load")
    expect(around("a.py", ["class A:", " def b(self):", "  c()"], "c()")).toBe("A.b")
  })
})
